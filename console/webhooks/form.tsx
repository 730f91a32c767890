// The form for a webhook: address, events and secret. It describes the effect in a sentence before it is saved.

import { useState } from 'preact/hooks'
import { deliveredEvents, messageFilters } from '../../shared/contract/events.ts'
import { texts } from '../texts.ts'
import { Act, Button } from '../ui/act.tsx'
import { Check, Field, Secret } from '../ui/parts.tsx'

const words = texts.webhook

/** The present webhook of an instance or of the whole server. */
export interface Destination {
  url?: string | undefined
  events?: readonly string[] | undefined
  excludeMessages?: readonly string[] | null | undefined
  enabled?: boolean | undefined
  hasSecret?: boolean | undefined
}

export interface Wish {
  url: string
  events: string[]
  excludeMessages: string[]
  enabled: boolean
  secret?: string
}

/** 32 bytes in the form of Standard Webhooks. */
export function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

interface Props {
  now: Destination
  save: (wish: Wish) => Promise<unknown>
  /** The URL of a receiver to try. */
  suggested?: string | undefined
}

export function WebhookForm({ now, save, suggested }: Props) {
  const [url, setUrl] = useState(now.url ?? '')
  const [events, setEvents] = useState<string[]>([...(now.events ?? deliveredEvents)])
  const [filters, setFilters] = useState<string[]>([...(now.excludeMessages ?? [])])
  const [enabled, setEnabled] = useState(now.enabled ?? true)
  const [secret, setSecret] = useState<string>()
  const toggle = (list: string[], name: string, on: boolean) =>
    on ? [...list, name] : list.filter((one) => one !== name)
  const saveIt = async () => {
    await save({ url, events, excludeMessages: filters, enabled, ...(secret !== undefined && { secret }) })
  }
  return (
    <div class="stack">
      <Field
        label={words.url}
        hint={words.urlHint}
        value={url}
        onInput={setUrl}
        placeholder="https://example.com/hooks/messages"
        inputMode="url"
      />
      {suggested && suggested !== url && (
        <div>
          <Button class="bare" onClick={() => setUrl(suggested)}>
            {words.useLaboratory}
          </Button>
        </div>
      )}
      <fieldset>
        <legend>{words.events}</legend>
        <div class="checks">
          {deliveredEvents.map((name) => (
            <Check
              key={name}
              checked={events.includes(name)}
              onChange={(on) => setEvents(toggle(events, name, on))}
            >
              <code>{name}</code> <span class="small quiet">{words.eventSays[name]}</span>
            </Check>
          ))}
        </div>
      </fieldset>
      <details>
        <summary>{words.filters(filters.length)}</summary>
        <div class="checks">
          {messageFilters.map((name) => (
            <Check
              key={name}
              checked={filters.includes(name)}
              onChange={(on) => setFilters(toggle(filters, name, on))}
            >
              {words.filterSays[name]}
            </Check>
          ))}
        </div>
      </details>
      <div class="field">
        <span class="label">{words.secret}</span>
        <span class="hint">
          {secret !== undefined ? words.secretNew : now.hasSecret ? words.secretKept : words.secretNone}
        </span>
        {secret && <Secret text={secret} />}
        <div class="line">
          <Button onClick={() => setSecret(makeSecret())}>
            {now.hasSecret ? words.rotate : words.makeSecret}
          </Button>
          {secret !== undefined && <Button onClick={() => setSecret(undefined)}>{words.keepSecret}</Button>}
        </div>
      </div>
      <Check checked={enabled} onChange={setEnabled}>
        {words.enabled}
      </Check>
      <p class="note">{sentence({ url, events, filters, enabled, now, secret })}</p>
      <div class="stack tight">
        <Act class="main" act={saveIt} disabled={!url.trim() || events.length === 0}>
          {texts.save}
        </Act>
      </div>
    </div>
  )
}

interface Said {
  url: string
  events: string[]
  filters: string[]
  enabled: boolean
  now: Destination
  secret: string | undefined
}

function sentence({ url, events, filters, enabled, now, secret }: Said): string {
  if (!url.trim()) return words.says.noUrl
  const which = events.length === deliveredEvents.length ? words.says.all : words.says.some(events.length)
  return [
    enabled ? words.says.posted(which, url) : words.says.paused(which),
    filters.length > 0 && words.says.filtered,
    now.url && now.url !== url && words.says.newUrl,
    secret !== undefined && now.hasSecret && words.says.rotated,
    secret === undefined && !now.hasSecret && words.says.unsigned,
  ]
    .filter(Boolean)
    .join(' ')
}
