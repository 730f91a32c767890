// Counts the events of the last day by hour and outcome. Rows of events are large, and hours that are over seldom change, so their
// counts are kept in memory.

import type { EventCounts } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { type Store, toRecords } from './database/open-store.ts'
import { IS_UNTRIED_JOINED, JOIN_DELIVERY } from './events/lane-sql.ts'

export const OVERVIEW_HOURS = 24

/** Of several webhooks, the worst of what became of an event. One whose webhook was removed since was delivered, as far as anybody knows. */
const OUTCOME = `case when events.refused is not null then 'dead' else case coalesce((
    select max(case deliveries.status when 'dead' then 3 when 'pending' then 2 when 'delivered' then 1
      else iif(${IS_UNTRIED_JOINED}, 2, 0) end)
    from webhooks ${JOIN_DELIVERY} where webhooks.instance_id = events.instance_id), 0)
  when 3 then 'dead' when 2 then 'pending' when 1 then 'delivered' else iif(events.wanted = 0, 'unaddressed', 'delivered') end end`

// Without groups, for which the rows would be sorted.
const COUNTS = `select count(*) as total, ${['delivered', 'unaddressed', 'pending', 'dead']
  .map((word) => `coalesce(sum(outcome = '${word}'), 0) as ${word}`)
  .join()}
  from (select ${OUTCOME} as outcome from events indexed by events_by_age where created_at >= ?1 and created_at < ?2)`

// By the index alone.
const TOTALS = `with recursive hours(hour) as (select 0 union all select hour + 1 from hours where hour < ${OVERVIEW_HOURS - 1})
  select hour, (select count(*) from events indexed by events_by_age
    where created_at >= ?1 + hour * ${HOUR} and created_at < ?1 + (hour + 1) * ${HOUR}) as total
  from hours`

interface KnownHour {
  counts: EventCounts
  total: number
}

export class HourCounter {
  /** By the beginning of the hour; the one that was read longest ago first. */
  readonly #known = new Map<number, KnownHour>()

  /** By the hours of the clock, oldest first; and of the last hour before the present minute. */
  async countEvents(store: Store) {
    const now = Date.now()
    const first = findFirstHour(now)
    // Equal requests of a minute are one read.
    const recentFrom = Math.floor(now / MINUTE) * MINUTE - HOUR
    const totals = await readTotals(store, first)
    const longestAgo = this.#known.keys().next().value
    const hours = []
    let lastHour: EventCounts = none
    for (let at = first; at < first + OVERVIEW_HOURS * HOUR; at += HOUR) {
      const known = this.#known.get(at)
      const isOver = at + HOUR <= recentFrom
      // A replay of old events changes no total: each hour is read again when its turn comes.
      if (known && isOver && at !== longestAgo && isSettled(known) && known.total === (totals.get(at) ?? 0))
        hours.push({ at, ...known.counts })
      else {
        const { counts, recent } = await this.#readHour(store, at, recentFrom)
        hours.push({ at, ...counts })
        lastHour = addCounts(lastHour, recent)
      }
    }
    this.#forgetBefore(first)
    return { hours, lastHour, lastDay: hours.reduce((sum, hour) => addCounts(sum, hour), none) }
  }

  /** Reads the hours that are over and not known, so that the first overview after a start need not. */
  async prepare(store: Store): Promise<void> {
    const now = Date.now()
    for (let at = findFirstHour(now); at + 2 * HOUR <= now; at += HOUR)
      if (!this.#known.has(at)) await this.#readHour(store, at, now)
  }

  async #readHour(store: Store, at: number, recentFrom: number) {
    const end = at + HOUR
    const middle = Math.min(end, Math.max(at, recentFrom))
    const found = await store.readAll(
      { sql: COUNTS, args: [at, middle], isLarge: true },
      { sql: COUNTS, args: [middle, end], isLarge: true },
    )
    const [earlier = nothing, recent = nothing] = found.map(
      (result) => toRecords(result)[0] as unknown as EventCounts & { total: number },
    )
    const counts = addCounts(earlier, recent)
    this.#known.delete(at)
    this.#known.set(at, { counts, total: earlier.total + recent.total })
    return { counts, recent: addCounts(recent, none) }
  }

  #forgetBefore(first: number): void {
    for (const at of this.#known.keys()) if (at < first) this.#known.delete(at)
  }
}

const findFirstHour = (now: number): number => (Math.floor(now / HOUR) - OVERVIEW_HOURS + 1) * HOUR

const isSettled = ({ counts }: KnownHour): boolean => counts.pending === 0

async function readTotals(store: Store, first: number): Promise<Map<number, number>> {
  const [found] = await store.readAll({
    sql: TOTALS,
    args: [first],
    isLarge: true,
  })
  const counted = found ? (toRecords(found) as unknown as { hour: number; total: number }[]) : []
  return new Map(counted.map(({ hour, total }) => [first + hour * HOUR, total]))
}

const none: EventCounts = { delivered: 0, unaddressed: 0, pending: 0, dead: 0 }

const nothing = { ...none, total: 0 }

const addCounts = (one: EventCounts, other: EventCounts): EventCounts => ({
  delivered: one.delivered + other.delivered,
  unaddressed: one.unaddressed + other.unaddressed,
  pending: one.pending + other.pending,
  dead: one.dead + other.dead,
})

const counters = new WeakMap<object, HourCounter>()

/** Of this process or isolate. `runtime`: of the edge. */
export function findHourCounter(runtime: object): HourCounter {
  const found = counters.get(runtime) ?? new HourCounter()
  counters.set(runtime, found)
  return found
}
