// Counts for the overview of operators: instances by state, reason and webhook; events by hour and outcome; session hosts.

import type { EventCounts } from '../../shared/contract/responses/overview-responses.ts'
import { HOUR, MINUTE } from '../../shared/date-time.ts'
import { DATABASE_NOW, type Store, toRecords } from './database/open-store.ts'
import { JOINS, REASON, STATE, selectWebhookState } from './instance-states.ts'

export interface InstanceGroup {
  state: string
  reason: string
  webhook: string
  instances: number
}

export interface HostTotals {
  total: number
  linked: number
  draining: number
  away: number
  sessions: number
  slots: number
}

const selectGroups = (areWebhooksEnabled: boolean) => `select state, reason, webhook, count(*) as instances
  from (select ${STATE} as state, ${REASON} as reason, ${selectWebhookState(areWebhooksEnabled)} as webhook
    from instances i ${JOINS})
  group by 1, 2, 3`

const HOSTS = `select count(*) as total, total(live) as linked, total(live and draining) as draining,
  total(lease_until > 0 and not live and not draining) as away,
  total(iif(live, sessions, 0)) as sessions, total(iif(live, slots, 0)) as slots
  from (select lease_until, draining, sessions, lease_until > ${DATABASE_NOW} as live,
    iif(slots = 0, max_slots, min(slots, max_slots)) as slots from hosts)`

export async function countInstancesAndHosts(store: Store, areWebhooksEnabled: boolean) {
  const [groups = [], [hosts] = []] = (
    await store.readAll(
      { sql: selectGroups(areWebhooksEnabled), args: [], isLarge: true },
      { sql: HOSTS, args: [], isLarge: true },
    )
  ).map(toRecords)
  return { groups: groups as unknown as InstanceGroup[], hosts: hosts as unknown as HostTotals }
}

/** An event without a receiver is settled when it comes. */
const IS_UNADDRESSED = `status = 'delivered' and attempts = 0 and delivered_at is null`

// Numbers of JavaScript are fractions in some databases.
const EVENTS = `select cast((created_at - ?1) / ${HOUR} as integer) as hour, created_at >= ?3 as isRecent,
  sum(status = 'delivered' and not (${IS_UNADDRESSED})) as delivered, sum(${IS_UNADDRESSED}) as unaddressed,
  sum(status = 'pending') as pending, sum(status = 'dead') as dead
  from events indexed by events_by_age where created_at >= ?1 and created_at < ?2 group by 1, 2`

export const OVERVIEW_HOURS = 24

/** Rows are large, so one read counts some hours only, and others have their turn between two of them. */
const HOURS_A_READ = 6

interface CountedHour extends EventCounts {
  hour: number
  isRecent: 0 | 1
}

/** By the hours of the clock, oldest first; and of the last hour before the present minute. */
export async function countEvents(store: Store) {
  const now = Date.now()
  const first = (Math.floor(now / HOUR) - OVERVIEW_HOURS + 1) * HOUR
  // Equal requests of a minute are one read.
  const recentFrom = Math.floor(now / MINUTE) * MINUTE - HOUR
  const hours = Array.from({ length: OVERVIEW_HOURS }, (_, at) => ({ at: first + at * HOUR, ...none }))
  let lastHour: EventCounts = none
  for (let from = 0; from < OVERVIEW_HOURS; from += HOURS_A_READ) {
    const args = [first + from * HOUR, first + (from + HOURS_A_READ) * HOUR, recentFrom]
    const [found] = await store.readAll({ sql: EVENTS, args, isLarge: true })
    for (const { hour, isRecent, ...counts } of toCountedHours(found)) {
      const place = hours[from + hour]
      if (place) Object.assign(place, addCounts(place, counts))
      if (isRecent) lastHour = addCounts(lastHour, counts)
    }
  }
  return { hours, lastHour, lastDay: hours.reduce(addCounts, none) }
}

const none: EventCounts = { delivered: 0, unaddressed: 0, pending: 0, dead: 0 }

const toCountedHours = (found: Parameters<typeof toRecords>[0] | undefined): CountedHour[] =>
  found ? (toRecords(found) as unknown as CountedHour[]) : []

const addCounts = (one: EventCounts, other: EventCounts): EventCounts => ({
  delivered: one.delivered + other.delivered,
  unaddressed: one.unaddressed + other.unaddressed,
  pending: one.pending + other.pending,
  dead: one.dead + other.dead,
})
