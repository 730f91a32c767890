// The events of an instance with their deliveries: results over time, attempts, payloads, and replay.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { EventRecord } from '../../shared/contract/responses/event-responses.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Badge, Loading, RadioLine, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import { EventDialog } from './event-dialog.tsx'
import { OutcomeChart } from './outcome-chart.tsx'
import { ReplayDialog } from './replay-dialog.tsx'

const words = texts.deliveries
const RELOAD_MS = 3000
const MAX_EVENTS = 200
type Filter = '' | EventRecord['status']
const filters = [
  { value: '' as Filter, label: words.all },
  ...(['pending', 'delivered', 'dead'] as const).map((value) => ({ value, label: words.states[value] })),
]

const kinds = { pending: 'warn', delivered: 'good', dead: 'bad' } as const

/** An event without a receiver counts as delivered without an attempt. */
export const OutcomeBadge = ({ event }: { event: EventRecord }) =>
  event.status === 'delivered' && event.attempts === 0 ? (
    <Badge>{words.noReceiver}</Badge>
  ) : (
    <Badge kind={kinds[event.status]}>{words.states[event.status]}</Badge>
  )

export function DeliveriesTab({ client }: { client: InstanceClient }) {
  const [filter, setFilter] = useState<Filter>('')
  const all = useLoad(() => client.events({ limit: MAX_EVENTS }), [client], RELOAD_MS)
  const { value, error, reload } = useLoad(
    () => client.events({ limit: MAX_EVENTS, ...(filter && { status: filter }) }),
    [client, filter],
    RELOAD_MS,
  )
  const [open, setOpen] = useState<EventRecord>()
  const [replaying, setReplaying] = useState<{ ids?: string[] }>()
  const events = value?.events ?? []
  return (
    <div class="stack">
      {all.value && all.value.events.length > 0 && <OutcomeChart events={all.value.events} />}
      <div class="line even">
        <RadioLine
          legend={words.filter}
          name="outcome"
          options={filters}
          value={filter}
          onChange={setFilter}
        />
        <Button onClick={() => setReplaying({})}>{words.replayDead}</Button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {!value && error === undefined && <Loading />}
      {value && (
        <div class="list">
          {events.length === 0 && <p class="empty quiet">{words.none}</p>}
          <VirtualList
            items={events}
            rowHeight={58}
            label={words.title}
            getKey={({ id }) => id}
            renderRow={(event) => <EventRow event={event} onClick={() => setOpen(event)} />}
          />
        </div>
      )}
      {open && (
        <EventDialog
          event={open}
          onClose={() => setOpen(undefined)}
          onReplay={() => {
            setReplaying({ ids: [open.id] })
            setOpen(undefined)
          }}
        />
      )}
      {replaying && (
        <ReplayDialog
          client={client}
          ids={replaying.ids}
          onDone={reload}
          onClose={() => setReplaying(undefined)}
        />
      )}
    </div>
  )
}

const EventRow = ({ event, onClick }: { event: EventRecord; onClick: () => void }) => (
  <button type="button" class="row short" onClick={onClick}>
    <span class="count quiet small seq">{event.seq}</span>
    <span class="grow">
      <span class="cut strong" style={{ display: 'block' }}>
        {event.type}
      </span>
      <span class="cut small quiet" style={{ display: 'block' }}>
        {event.lastError || <TimeAgo time={event.createdAt} />}
      </span>
    </span>
    <span class="small quiet wide-only">{words.attempts(event.attempts)}</span>
    {event.lastStatus ? <code class="wide-only">{event.lastStatus}</code> : null}
    <OutcomeBadge event={event} />
  </button>
)
