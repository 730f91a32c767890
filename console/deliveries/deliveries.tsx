// The events of an instance with their deliveries: results over time, attempts, payloads, and replay.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { EventRecord } from '../../shared/contract/answers/event.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Ago, Badge, Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { VirtualList } from '../ui/virtual.tsx'
import { OutcomeChart } from './chart.tsx'
import { EventDialog } from './event.tsx'
import { Replay } from './replay.tsx'

const words = texts.deliveries
const EVERY_MS = 3000
const SHOWN = 200
const filters = ['', 'pending', 'delivered', 'dead'] as const
type Filter = (typeof filters)[number]

const kinds = { pending: 'warn', delivered: 'good', dead: 'bad' } as const

/** An event without a receiver is settled without an attempt. */
export const Outcome = ({ event }: { event: EventRecord }) =>
  event.status === 'delivered' && event.attempts === 0 ? (
    <Badge>{words.nobody}</Badge>
  ) : (
    <Badge kind={kinds[event.status]}>{words.states[event.status]}</Badge>
  )

export function Deliveries({ client }: { client: InstanceClient }) {
  const [filter, setFilter] = useState<Filter>('')
  const all = useLoad(() => client.events({ limit: SHOWN }), [client], EVERY_MS)
  const { value, error, reload } = useLoad(
    () => client.events({ limit: SHOWN, ...(filter && { status: filter }) }),
    [client, filter],
    EVERY_MS,
  )
  const [open, setOpen] = useState<EventRecord>()
  const [replaying, setReplaying] = useState<{ ids?: string[] }>()
  const events = value?.events ?? []
  return (
    <div class="stack">
      {all.value && all.value.events.length > 0 && <OutcomeChart events={all.value.events} />}
      <div class="line even">
        <fieldset>
          <legend class="unseen">{words.filter}</legend>
          <div class="line">
            {filters.map((each) => (
              <label class="check" key={each}>
                <input
                  type="radio"
                  name="outcome"
                  checked={filter === each}
                  onChange={() => setFilter(each)}
                />
                {each ? words.states[each] : words.all}
              </label>
            ))}
          </div>
        </fieldset>
        <Button onClick={() => setReplaying({})}>{words.replayDead}</Button>
      </div>
      {error !== undefined && <Trouble error={error} />}
      {!value && error === undefined && <Loading />}
      {value && (
        <div class="list">
          {events.length === 0 && <p class="empty quiet">{words.none}</p>}
          <VirtualList
            items={events}
            rowHeight={58}
            label={words.title}
            keyOf={({ id }) => id}
            row={(event) => (
              <button type="button" class="row short" onClick={() => setOpen(event)}>
                <span class="count quiet small seq">{event.seq}</span>
                <span class="grow">
                  <span class="cut strong" style={{ display: 'block' }}>
                    {event.type}
                  </span>
                  <span class="cut small quiet" style={{ display: 'block' }}>
                    {event.lastError || <Ago time={event.createdAt} />}
                  </span>
                </span>
                <span class="small quiet wide-only">{words.attempts(event.attempts)}</span>
                {event.lastStatus ? <code class="wide-only">{event.lastStatus}</code> : null}
                <Outcome event={event} />
              </button>
            )}
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
        <Replay client={client} ids={replaying.ids} onDone={reload} onClose={() => setReplaying(undefined)} />
      )}
    </div>
  )
}
