// The rows of the log of deliveries. Only the visible ones are drawn, and older ones are loaded when the end comes into sight.

import type { EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'
import { useEffect, useState } from 'preact/hooks'
import { formatClockSeconds, formatDateTime, formatMoment, toDate } from '../formats.ts'
import { texts } from '../texts.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import { describeCause } from './delivery-health.ts'
import { findOutcome } from './event-filter.ts'
import { OtherOutcomes, OutcomeBadge } from './event-outcome.tsx'
import type { InstanceWebhook } from './instance-webhooks.ts'

const words = texts.deliveries
const ROW_HEIGHT = 38
const NARROW_ROW_HEIGHT = 62
/** As in the styles. */
const NARROW = '(max-width: 760px)'

interface Props {
  events: readonly EventRecord[]
  /** Those whose outcomes stand beside that of the event. */
  webhooks: readonly InstanceWebhook[]
  onOpen: (id: string) => void
  onEnd: (() => unknown) | undefined
}

export function EventList({ events, webhooks, onOpen, onEnd }: Props) {
  const rowHeight = useNarrow() ? NARROW_ROW_HEIGHT : ROW_HEIGHT
  return (
    <div class="log">
      <VirtualList
        items={events}
        rowHeight={rowHeight}
        label={words.title}
        getKey={({ id }) => id}
        renderRow={(event) => <EventRow {...{ event, webhooks }} onOpen={() => onOpen(event.id)} />}
        onEnd={onEnd}
      />
    </div>
  )
}

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const media = matchMedia(NARROW)
    const onChange = () => setNarrow(media.matches)
    media.addEventListener('change', onChange)
    return () => media.removeEventListener('change', onChange)
  }, [])
  return isNarrow
}

interface RowProps {
  event: EventRecord
  webhooks: readonly InstanceWebhook[]
  onOpen: () => void
}

const EventRow = ({ event, webhooks, onOpen }: RowProps) => (
  <button type="button" class="delivery-row" onClick={onOpen}>
    <time dateTime={event.createdAt} title={formatDateTime(event.createdAt)}>
      {formatRowTime(event.createdAt)}
    </time>
    <span class="delivery-type cut">
      {event.type} <span class="quiet count">{event.seq}</span>
    </span>
    <span class="delivery-detail cut">{describeRow(event)}</span>
    <span class="delivery-end">
      {webhooks.length > 0 && <OtherOutcomes {...{ event, webhooks }} />}
      {event.lastStatus ? <code>{event.lastStatus}</code> : null}
      <OutcomeBadge outcome={findOutcome(event)} />
    </span>
  </button>
)

/** Seconds for today, the day for what is older. */
function formatRowTime(time: string): string {
  const isToday = toDate(time)?.toDateString() === new Date().toDateString()
  return isToday ? formatClockSeconds(time) : formatMoment(time)
}

function describeRow({ status, lastError, attempts, nextAttemptAt, messageid }: EventRecord): string {
  if (!lastError) return messageid
  const tried = words.attempts(attempts)
  const next = status === 'pending' && nextAttemptAt ? words.nextAt(formatMoment(nextAttemptAt)) : ''
  return [describeCause(lastError), tried, next].filter(Boolean).join(' · ')
}
