// The form for a webhook: address, events, chats, headers and secret. It describes the effect in a sentence before it is saved.

import { messageFilters, webhookEvents } from '@msgnet/shared/contract/event-names.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Checkbox, Field, SecretText } from '../ui/elements.tsx'
import { ChatChoice } from './chat-choice.tsx'
import {
  type EventChoice,
  hasAllEvents,
  listChosenEvents,
  listHiddenEvents,
  type OfferedEvent,
} from './chosen-events.ts'
import { type Header, HeaderFields, isComplete, toHeaders } from './header-fields.tsx'

const words = texts.webhook

/** The current webhook of an instance or of the whole server. */
export interface CurrentWebhook extends EventChoice {
  url?: string | undefined
  excludeMessages?: readonly string[] | null | undefined
  enabled?: boolean | undefined
  hasSecret?: boolean | undefined
  chats?: readonly string[] | null | undefined
  headerNames?: readonly string[] | undefined
}

export interface WebhookInput {
  url: string
  events: string[]
  excludeMessages: string[]
  enabled: boolean
  secret?: string
  /** Absent unless the form offers them. */
  chats?: string[]
  /** Absent unless they are written anew. */
  headers?: Record<string, string>
}

/** 32 bytes in the form of Standard Webhooks. */
export function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

type Offer = 'chats' | 'headers'

interface Props {
  current: CurrentWebhook
  onSave: (input: WebhookInput) => Promise<unknown>
  /** The URL of a receiver to try. */
  suggested?: string | undefined
  /** What this webhook may have beside the rest. */
  offers?: readonly Offer[]
  /** Those that it may choose. */
  offered?: readonly OfferedEvent[]
  confirm?: string
}

export function WebhookForm({
  current,
  onSave,
  suggested,
  offers = [],
  confirm = texts.save,
  ...rest
}: Props) {
  const { offered = webhookEvents } = rest
  const draft = useDraft(current, offers, offered)
  const { url, setUrl, events, setEvents, filters, setFilters } = draft
  const areLost = hasOtherOrigin(current.url, url)
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
      <Suggestion url={suggested === url ? undefined : suggested} onChoose={setUrl} />
      <fieldset>
        <legend>{words.events}</legend>
        <NameList names={offered} chosen={events} onChange={setEvents}>
          {(name) => (
            <>
              <code>{name}</code> <span class="small quiet">{words.eventHints[name]}</span>
            </>
          )}
        </NameList>
      </fieldset>
      <details>
        <summary>{words.filters(filters.length)}</summary>
        <NameList names={messageFilters} chosen={filters} onChange={setFilters}>
          {(name) => words.filterHints[name]}
        </NameList>
      </details>
      {offers.includes('chats') && <ChatChoice {...draft} />}
      {offers.includes('headers') && (
        <HeaderFields names={current.headerNames ?? []} areLost={areLost} {...draft} />
      )}
      <SecretField hasSecret={current.hasSecret === true} isLost={areLost} {...draft} />
      <Checkbox checked={draft.enabled} onChange={draft.setEnabled}>
        {words.enabled}
      </Checkbox>
      <p class="note">
        {describeEffect({ ...draft, offered, current, hasSecret: current.hasSecret === true && !areLost })}
      </p>
      <div class="stack tight">
        <ActionButton class="main" onAction={() => onSave(draft.toInput())} disabled={!draft.isReady}>
          {confirm}
        </ActionButton>
      </div>
    </div>
  )
}

const Suggestion = ({ url, onChoose }: { url: string | undefined; onChoose: (url: string) => void }) =>
  url ? (
    <div>
      <Button class="bare" onClick={() => onChoose(url)}>
        {words.useSimulation}
      </Button>
    </div>
  ) : null

/** Headers and secret belong to scheme, host and port of the saved address. One that is being written has no origin yet. */
function hasOtherOrigin(saved: string | undefined, written: string): boolean {
  const [from, to] = [URL.parse(saved ?? ''), URL.parse(written.trim())]
  return from !== null && to !== null && from.origin !== to.origin
}

/** What is in the form, until it is saved. */
function useDraft(current: CurrentWebhook, offers: readonly Offer[], offered: readonly OfferedEvent[]) {
  const [url, setUrl] = useState(current.url ?? '')
  const [events, setEvents] = useState<string[]>(listChosenEvents(current, offered))
  const [filters, setFilters] = useState<string[]>([...(current.excludeMessages ?? [])])
  const [enabled, setEnabled] = useState(current.enabled ?? true)
  const [secret, setSecret] = useState<string>()
  const [chats, setChats] = useState<string[]>([...(current.chats ?? [])])
  const [isForSome, setForSome] = useState(chats.length > 0)
  const [headers, setHeaders] = useState<Header[]>()
  const toInput = (): WebhookInput => ({
    url,
    events: [...events, ...listHiddenEvents(current)],
    excludeMessages: filters,
    enabled,
    ...(secret !== undefined && { secret }),
    ...(offers.includes('chats') && { chats: isForSome ? chats : [] }),
    ...(headers && { headers: toHeaders(headers) }),
  })
  const hasChats = !isForSome || chats.length > 0
  const isReady =
    url.trim() !== '' && events.length > 0 && hasChats && (headers === undefined || isComplete(headers))
  return {
    url,
    setUrl,
    events,
    setEvents,
    filters,
    setFilters,
    enabled,
    setEnabled,
    secret,
    setSecret,
    chats,
    setChats,
    isForSome,
    setForSome,
    headers,
    setHeaders,
    toInput,
    isReady,
  }
}

interface NameListProps<Name extends string> {
  names: readonly Name[]
  chosen: string[]
  onChange: (chosen: string[]) => void
  /** The label of a name. */
  children: (name: Name) => ComponentChildren
}

const NameList = <Name extends string>({ names, chosen, onChange, children }: NameListProps<Name>) => (
  <div class="checks">
    {names.map((name) => (
      <Checkbox
        key={name}
        checked={chosen.includes(name)}
        onChange={(on) => onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name))}
      >
        {children(name)}
      </Checkbox>
    ))}
  </div>
)

interface SecretFieldProps {
  hasSecret: boolean
  /** The address in the form has another origin than that of the stored secret. */
  isLost: boolean
  /** The new secret, until it is saved. */
  secret: string | undefined
  setSecret: (secret: string | undefined) => void
}

const SecretField = ({ hasSecret, isLost, secret, setSecret }: SecretFieldProps) => (
  <div class="field">
    <span class="label">{words.secret}</span>
    <span class="hint">
      {secret !== undefined
        ? words.secretNew
        : hasSecret
          ? isLost
            ? words.secretStaysBehind
            : words.secretStored
          : words.secretNone}
    </span>
    {secret && <SecretText text={secret} />}
    <div class="line">
      <Button onClick={() => setSecret(createSecret())}>{hasSecret ? words.rotate : words.makeSecret}</Button>
      {secret !== undefined && <Button onClick={() => setSecret(undefined)}>{words.discardSecret}</Button>}
    </div>
  </div>
)

interface EffectInput {
  url: string
  events: string[]
  offered: readonly OfferedEvent[]
  filters: string[]
  enabled: boolean
  current: CurrentWebhook
  /** One that stays at this address. */
  hasSecret: boolean
  secret: string | undefined
}

function describeEffect({
  url,
  events,
  offered,
  filters,
  enabled,
  current,
  hasSecret,
  secret,
}: EffectInput): string {
  if (!url.trim()) return words.effect.noUrl
  const which = hasAllEvents(events, offered) ? words.effect.all : words.effect.some(events.length)
  return [
    enabled ? words.effect.posted(which, url) : words.effect.paused(which),
    filters.length > 0 && words.effect.filtered,
    current.url && current.url !== url && words.effect.newUrl,
    secret !== undefined && hasSecret && words.effect.rotated,
    secret === undefined && !hasSecret && words.effect.unsigned,
  ]
    .filter(Boolean)
    .join(' ')
}
