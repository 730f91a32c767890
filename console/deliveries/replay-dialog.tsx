// The dialog for a replay: which events, how many there are, and what it cannot do while delivery is paused.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { RadioLine } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Choice, TimeField } from '../ui/filters.tsx'
import { useLoad } from '../ui/use-load.ts'
import { listNames } from './delivery-filters.tsx'
import { toInstant } from './event-filter.ts'
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
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const wanted = JSON.stringify({ kind, from, to, webhookId })
  const typed = useTyped(wanted)
  const { value: trial, error } = useLoad(async () => {
    const selection = await findSelection(client, JSON.parse(typed))
    return { selection, ...(await client.redrive({ ...selection, dryRun: true })) }
  }, [client, typed])
  const [queued, setQueued] = useState<number>()
  const isPaused = Boolean(findWebhook(webhooks, webhookId)?.health.deliveryStatus?.paused)
  const isCounted = typed === wanted && trial !== undefined
  const requestReplay = async () => {
    if (trial) setQueued((await client.redrive(trial.selection)).queued)
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
        <Selection {...{ kind, from, to }} onKind={setKind} onFrom={setFrom} onTo={setTo} />
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

interface Wanted {
  kind: ReplayChoice['kind']
  /** Times of this browser; empty for no limit. */
  from: string
  to: string
  webhookId: string
}

/** A replay is asked for by numbers; people know times. */
async function findSelection(client: InstanceClient, { kind, from, to, webhookId }: Wanted) {
  const [before, toSeq] = [await findLastSeq(client, from), await findLastSeq(client, to)]
  return {
    ...(kind !== 'any' && { status: kind }),
    fromSeq: before + 1,
    ...(to && { toSeq }),
    ...(webhookId && { webhookId }),
  }
}

/** Of the newest event that was stored before this time; 0 if there is none. */
async function findLastSeq(client: InstanceClient, time: string): Promise<number> {
  if (!time) return 0
  const { events } = await client.events({ to: toInstant(time), limit: 1, payload: false })
  return events[0]?.seq ?? 0
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
  from: string
  to: string
  onKind: (kind: ReplayChoice['kind']) => void
  onFrom: (time: string) => void
  onTo: (time: string) => void
}

const Selection = ({ kind, from, to, onKind, onFrom, onTo }: SelectionProps) => (
  <>
    <RadioLine
      legend={words.replayWhat}
      name="replayed"
      options={kinds.map((value) => ({ value, label: words.replayKinds[value] }))}
      value={kind}
      onChange={onKind}
    />
    <div class="chip-row">
      <TimeField label={words.from} value={from} onChange={onFrom} />
      <TimeField label={words.to} value={to} onChange={onTo} />
    </div>
  </>
)
