// Counts for the overview of operators: instances by state, reason and webhook; session hosts.

import { DATABASE_NOW, type Store, toRecords } from './database/open-store.ts'
import { JOINS, REASON, STATE, selectWebhookState } from './instance-states.ts'
import { listNewestWebhookEvents } from './webhook-event-queries.ts'

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

export type GapTotals = Record<'open' | 'filling' | 'partial', number>

const selectGapSum = (state: keyof GapTotals) => `total(gap.value ->> 'state' = '${state}') as ${state}`
const GAPS = `select ${selectGapSum('open')}, ${selectGapSum('filling')}, ${selectGapSum('partial')}
  from instances i, json_each(i.coverage, '$.gaps') gap where i.coverage is not null`

const NEWEST_EVENTS = 10

export async function countInstancesAndHosts(store: Store, areWebhooksEnabled: boolean) {
  const webhookEvents = await listNewestWebhookEvents(store, NEWEST_EVENTS)
  const [groups = [], [hosts] = [], [gaps] = []] = (
    await store.readAll(
      { sql: selectGroups(areWebhooksEnabled), args: [], isLarge: true },
      { sql: HOSTS, args: [], isLarge: true },
      { sql: GAPS, args: [], isLarge: true },
    )
  ).map(toRecords)
  return {
    groups: groups as unknown as InstanceGroup[],
    hosts: hosts as unknown as HostTotals,
    gaps: gaps as unknown as GapTotals,
    webhookEvents,
  }
}
