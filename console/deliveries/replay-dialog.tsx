// The dialog for a replay: which events, how many there are, and what it cannot do while delivery is paused.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, RadioLine } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Choice } from '../ui/filters.tsx'
import { useLoad } from '../ui/use-load.ts'
import { listNames } from './delivery-filters.tsx'
import { findWebhook, type InstanceWebhook } from './instance-webhooks.ts'

const words = texts.deliveries
/** After the last key, before the events are counted. */
const TYPING_MS = 300

const kinds = ['dead', 'delivered', 'any'] as const

export interface ReplayChoice {
  kind: (typeof kinds)[number]
  /** The id of the webhook; empty for the first. */
  webhook: string
}

interface Props {
  client: InstanceClient
  /** Those that get events. */
  webhooks: readonly InstanceWebhook[]
  choice: ReplayChoice
  onDone: () => unknown
  onClose: () => void
}

export function ReplayDialog({ client, webhooks, choice, onDone, onClose }: Props) {
  const [kind, setKind] = useState(choice.kind)
  const [webhookId, setWebhookId] = useState(choice.webhook || (webhooks[0]?.record?.id ?? ''))
  const [fromSeq, setFromSeq] = useState('')
  const [toSeq, setToSeq] = useState('')
  const selection = { ...buildSelection(kind, fromSeq, toSeq), ...(webhookId && { webhookId }) }
  const typed = useTyped(JSON.stringify(selection))
  const { value: trial, error } = useLoad(
    () => client.redrive({ ...JSON.parse(typed), dryRun: true }),
    [client, typed],
  )
  const [queued, setQueued] = useState<number>()
  const isPaused = Boolean(findWebhook(webhooks, webhookId)?.health.deliveryStatus?.paused)
  const isCounted = typed === JSON.stringify(selection) && trial !== undefined
  const requestReplay = async () => {
    setQueued((await client.redrive(selection)).queued)
    await onDone()
  }
  return (
    <Dialog
      title={words.replayTitle}
      onClose={onClose}
      onSubmit={queued === undefined ? requestReplay : onClose}
      renderActions={(busy) =>
        queued === undefined ? (
          <>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button class="main" type="submit" busy={busy} disabled={!isCounted || !trial.matched}>
              {words.replayConfirm}
            </Button>
          </>
        ) : (
          <Button class="main" type="submit">
            {texts.close}
          </Button>
        )
      }
    >
      {isPaused && <p class="note warn">{words.pausedNote}</p>}
      {queued === undefined && webhooks.length > 1 && (
        <div class="field">
          <span class="label">{words.replayTo}</span>
          <Choice
            label={words.replayTo}
            value={webhookId}
            options={listNames(webhooks)}
            onChange={setWebhookId}
          />
        </div>
      )}
      {queued === undefined && (
        <Selection {...{ kind, fromSeq, toSeq }} onKind={setKind} onFrom={setFromSeq} onTo={setToSeq} />
      )}
      {error !== undefined && <ErrorNote error={error} />}
      <p role="status">{describeCount(queued, isCounted ? trial.matched : undefined, isPaused)}</p>
      {queued === undefined && <p class="small quiet">{`${words.replayHint} ${words.replayLimit}`}</p>}
    </Dialog>
  )
}

function describeCount(queued: number | undefined, matched: number | undefined, isPaused: boolean): string {
  if (queued !== undefined) return isPaused ? words.queuedWhilePaused(queued) : words.queued(queued)
  return matched === undefined ? words.counting : words.matched(matched)
}

/** Without any number the range is everything. */
function buildSelection(kind: ReplayChoice['kind'], from: string, to: string) {
  const [fromSeq, toSeq] = [Number.parseInt(from, 10), Number.parseInt(to, 10)]
  return {
    ...(kind !== 'any' && { status: kind }),
    ...(fromSeq >= 0 ? { fromSeq } : kind === 'any' && { fromSeq: 0 }),
    ...(toSeq >= 0 && { toSeq }),
  }
}

function useTyped(text: string): string {
  const [typed, setTyped] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return typed
}

interface SelectionProps {
  kind: ReplayChoice['kind']
  fromSeq: string
  toSeq: string
  onKind: (kind: ReplayChoice['kind']) => void
  onFrom: (seq: string) => void
  onTo: (seq: string) => void
}

const Selection = ({ kind, fromSeq, toSeq, onKind, onFrom, onTo }: SelectionProps) => (
  <>
    <RadioLine
      legend={words.replayWhat}
      name="replayed"
      options={kinds.map((value) => ({ value, label: words.replayKinds[value] }))}
      value={kind}
      onChange={onKind}
    />
    <div class="columns narrow">
      <Field label={words.fromSeq} value={fromSeq} onInput={onFrom} inputMode="numeric" />
      <Field label={words.toSeq} value={toSeq} onInput={onTo} inputMode="numeric" />
    </div>
  </>
)
