// One event at the side of the page: each attempt to deliver it, the envelope as it is posted, and delivery at once.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Attempt, EventDetail } from '@msgnet/shared/contract/responses/event-responses.ts'
import { useEffect, useState } from 'preact/hooks'
import { formatClockSeconds, formatDateTime, formatDuration } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CopyButton, Fact, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Skeleton } from '../ui/notices.tsx'
import { useLoad, useNow } from '../ui/use-load.ts'
import { describeCause } from './delivery-health.ts'
import { findOutcome } from './event-filter.ts'
import type { EventReader } from './event-log.ts'
import { OutcomeBadge } from './event-outcome.tsx'
import { EventWebhooks } from './event-webhooks.tsx'
import { type InstanceWebhook, nameWebhook } from './instance-webhooks.ts'
import { deliverEvent } from './resume-delivery.ts'

const words = texts.deliveries
const RELOAD_MS = 2000

interface Props {
  reader: EventReader
  /** Undefined for a token that may only read. */
  client: InstanceClient | undefined
  /** Those that get events. */
  webhooks: readonly InstanceWebhook[]
  id: string
  onChange: () => Promise<unknown>
  onClose: () => void
}

export function EventDrawer({ reader, client, webhooks, id, onChange, onClose }: Props) {
  const { value: detail, error, reload } = useEventDetail(reader, id)
  const reloadAll = () => Promise.all([reload(), onChange()])
  const isOfFirst = webhooks[0]?.record?.first !== false
  const hasSeveral = webhooks.length > 1 || !isOfFirst
  return (
    <Dialog
      drawer
      title={detail ? `${detail.event.type} · ${detail.event.seq}` : words.event}
      onClose={onClose}
    >
      {error !== undefined && <ErrorNote error={error} />}
      {!detail && error === undefined && <Skeleton rows={6} />}
      {detail && (
        <>
          <EventFacts detail={detail} />
          {hasSeveral && (
            <EventWebhooks {...{ client, webhooks }} event={detail.event} onChange={reloadAll} />
          )}
          {client && !hasSeveral && (
            <DeliverNow {...{ client, id, detail }} webhook={webhooks[0]} onChange={reloadAll} />
          )}
          {isOfFirst && (
            <Attempts
              attempts={detail.attempts}
              at={hasSeveral && webhooks[0] ? nameWebhook(webhooks[0], webhooks) : undefined}
            />
          )}
          {client && <Envelope detail={detail} />}
        </>
      )}
    </Dialog>
  )
}

interface DeliverProps {
  client: InstanceClient
  id: string
  detail: EventDetail
  /** The only one; undefined if there is none. */
  webhook: InstanceWebhook | undefined
  onChange: () => Promise<unknown>
}

function DeliverNow({ client, id, detail, webhook, onChange }: DeliverProps) {
  const [answer, setAnswer] = useState('')
  const isPaused = Boolean(webhook?.health.deliveryStatus?.paused)
  const deliver = async () => {
    setAnswer(await deliverEvent({ client, eventId: id, webhook }))
    await onChange()
  }
  return (
    <div class="stack tight">
      <ActionButton class="main" onAction={deliver}>
        {detail.event.status === 'pending' ? words.deliverNow : words.replayOne}
      </ActionButton>
      {isPaused && !answer && <p class="note warn">{words.pausedNote}</p>}
      {answer && (
        <p class="small" role="status">
          {answer}
        </p>
      )}
    </div>
  )
}

/** Asked for often without its texts, which each are an entry in the audit log for an admin; with them when something changed. */
function useEventDetail(client: EventReader, id: string) {
  const whole = useLoad(() => client.event(id), [client, id])
  const light = useLoad(() => client.event(id, { payload: false }), [client, id], RELOAD_MS)
  const [shown, present] = [describeProgress(whole.value), describeProgress(light.value)]
  useEffect(() => {
    if (shown && present && shown !== present) void whole.reload()
  }, [shown, present])
  return { value: whole.value, error: whole.error ?? light.error, reload: light.reload }
}

const describeProgress = (detail: EventDetail | undefined): string =>
  detail
    ? [
        detail.event.status,
        detail.attempts.at(-1)?.number,
        detail.attempts.at(-1)?.at,
        detail.nextAttemptAt,
        ...detail.event.deliveries.flatMap(({ status, attempts, lastAttemptAt }) => [
          status,
          attempts,
          lastAttemptAt,
        ]),
      ].join()
    : ''

const EventFacts = ({ detail: { event, nextAttemptAt } }: { detail: EventDetail }) => (
  <dl class="facts">
    <Fact name={words.outcome}>
      <OutcomeBadge outcome={findOutcome(event)} />
      {event.status === 'dead' && event.lastError ? ` ${describeCause(event.lastError)}` : ''}
    </Fact>
    <Fact name={words.happened}>
      {formatDateTime(event.createdAt)} (<TimeAgo time={event.createdAt} />)
    </Fact>
    {nextAttemptAt && (
      <Fact name={words.nextAttempt}>
        <NextAttempt time={nextAttemptAt} />
      </Fact>
    )}
    {event.messageid && (
      <Fact name={words.messageId}>
        <code>{event.messageid}</code>
      </Fact>
    )}
    <Fact name="webhook-id">
      <code>{event.id}</code>
    </Fact>
  </dl>
)

/** A due event may wait for the ones before it, or for delivery to resume. */
function NextAttempt({ time }: { time: string }) {
  const isDue = Date.parse(time) <= useNow()
  return (
    <span>
      {isDue ? words.dueNow : formatDateTime(time)} {!isDue && <TimeAgo time={time} />}
    </span>
  )
}

/** `at`: the name of the first of several webhooks; those at the others are only counted. */
const Attempts = ({ attempts, at }: { attempts: readonly Attempt[]; at: string | undefined }) => (
  <section class="stack tight">
    <h3>{at ? words.attemptsAt(at) : words.attemptsLabel}</h3>
    {attempts.length === 0 && <p class="quiet small">{words.noAttempts}</p>}
    {attempts.length > 0 && (
      <ol class="attempts">
        {attempts.toReversed().map((attempt) => (
          <AttemptRow key={attempt.number} attempt={attempt} />
        ))}
      </ol>
    )}
  </section>
)

const AttemptRow = ({ attempt: { number, at, ms, status, error, response } }: { attempt: Attempt }) => (
  <li>
    <div class="attempt">
      <i class={`dot ${error ? 'bad' : 'good'}`} />
      <span class="strong">{words.attemptNumber(number)}</span>
      <code>{status || words.noResponse}</code>
      <span class="grow">{error ? describeCause(error) : words.outcomes.delivered}</span>
      <span class="quiet small count">
        <time dateTime={at} title={formatDateTime(at)}>
          {formatClockSeconds(at)}
        </time>{' '}
        · {formatDuration(ms)}
      </span>
    </div>
    {response && (
      <figure class="refusal">
        <figcaption class="small quiet">{words.refusal}</figcaption>
        <code>{response}</code>
      </figure>
    )}
  </li>
)

function Envelope({ detail: { envelope, attempts } }: { detail: EventDetail }) {
  const json = JSON.stringify(envelope, null, 2)
  return (
    <section class="stack tight">
      <div class="line even">
        <h3>{attempts.length > 0 ? words.envelope : words.unpostedEnvelope}</h3>
        <CopyButton text={json} />
      </div>
      <p class="small quiet">{words.envelopeHint}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0} class="payload">
        {json}
      </pre>
    </section>
  )
}
