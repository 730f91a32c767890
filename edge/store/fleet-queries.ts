// Counts hosts, instances by state and reason, and what waits for receivers, for the metrics.

import type { DisconnectReason } from '@msgnet/shared/contract/instance-requests.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { DATABASE_NOW, type Store, toRecords } from './database/open-store.ts'
import { IS_UNTRIED } from './events/lane-sql.ts'

/** The device is gone from its account, or its keys do not open it any more: it has to be linked again. */
export const lossReasons = [
  'logged_out',
  'banned',
  'replaced',
  'bad_session',
] as const satisfies DisconnectReason[]

/** A loss is counted for this long, or until the device is linked again. */
const LOSS_COUNTS_FOR = HOUR

/** The maximum number of events that are counted: metrics are read every few seconds and must not scan a backlog of millions. */
const COUNTED = 100_000

export interface HostCount {
  id: string
  region: string
  live: boolean
}

export interface InstanceCount {
  /** `pairing`: no device yet; `host_away`: it should be connected, and its host has no lease. */
  state: 'disconnected' | 'pairing' | 'connecting' | 'connected' | 'host_away'
  /** Empty unless it is disconnected or connecting. */
  reason: DisconnectReason
  instances: number
  /** Those of them that lost their device recently. */
  lost: number
}

/** `paused` by its owner, `gone` by a 410 of the receiver; of several webhooks, that of the worst. */
export const webhookStates = ['active', 'paused', 'gone', 'none'] as const
export type WebhookState = (typeof webhookStates)[number]

export interface Backlog {
  kind: string
  webhook: WebhookState
  /** Instances whose worst webhook is such a one. */
  instances: number
  /** Those that wait at such webhooks; an event that waits at two counts twice. */
  events: number
  /** Age of the oldest of them, in seconds. */
  age: number
}

export interface Fleet {
  hosts: HostCount[]
  instances: InstanceCount[]
  backlogs: Backlog[]
}

// A host that was never linked is only registered, and one that drained and left is only not deleted yet.
const HOSTS = `select id, region, lease_until > ${DATABASE_NOW} as live from hosts
  where lease_until > 0 and (lease_until > ${DATABASE_NOW} or not draining)`

const INSTANCES = `select state, iif(state in ('disconnected', 'connecting'), reason, '') as reason, count(*) as instances,
  sum(state = 'disconnected' and last_disconnect > ?) as lost from (
    select last_disconnect, last_disconnect_reason as reason, case
      when status = 'disconnected' then status
      when jid = '' then 'pairing'
      when coalesce(hosts.lease_until, 0) <= ${DATABASE_NOW} then 'host_away'
      else status end as state
    from instances left join hosts on hosts.id = host_id)
  group by 1, 2`

// Of a row of `webhooks`. As a rank, from the best to the worst, because an instance counts by the worst of its webhooks.
const RANK = `case when webhooks.mode not in ('own', 'inherited') then 0 when webhooks.gone then 3
  when webhooks.enabled then 1 else 2 end`

const TRIED = `select queue.lane, queue.events, events.created_at as oldest
  from (select lane, count(*) as events, min(seq) as first_seq
    from (select lane, seq from deliveries where status = 'pending' limit ${COUNTED}) group by 1) as queue
  join webhooks on webhooks.lane = queue.lane
  join events on events.instance_id = webhooks.instance_id and events.seq = queue.first_seq`

const UNTRIED = `select lane, count(*) as events, min(created_at) as oldest from (
    select webhooks.lane, events.created_at from webhooks
    join instances on instances.id = webhooks.instance_id and instances.last_seq > webhooks.cursor
    cross join events indexed by events_in_log on events.instance_id = webhooks.instance_id and events.seq > webhooks.cursor
    where ${IS_UNTRIED} limit ${COUNTED}) group by 1`

const BACKLOGS = `select kind, case rank when 0 then 'none' when 1 then 'active' when 2 then 'paused' else 'gone' end as webhook,
  sum(instances) as instances, sum(events) as events, min(oldest) as oldest
  from (
    select i.kind, coalesce((select max(${RANK}) from webhooks where webhooks.instance_id = i.id), 0) as rank,
      1 as instances, 0 as events, null as oldest
    from instances i
    union all
    select i.kind, ${RANK}, 0, queue.events, queue.oldest from (${TRIED} union all ${UNTRIED}) as queue
    join webhooks on webhooks.lane = queue.lane join instances i on i.id = webhooks.instance_id
  )
  group by 1, 2`

export async function countFleet(store: Store): Promise<Fleet> {
  const now = Date.now()
  const [hosts = [], instances = [], backlogs = []] = (
    await store.readAll(
      { sql: HOSTS, args: [], isLarge: true },
      { sql: INSTANCES, args: [now - LOSS_COUNTS_FOR], isLarge: true },
      { sql: BACKLOGS, args: [], isLarge: true },
    )
  ).map(toRecords)
  return {
    hosts: hosts.map(({ live, ...host }) => ({ ...host, live: live === 1 })) as HostCount[],
    instances: instances as unknown as InstanceCount[],
    backlogs: backlogs.map(({ oldest, ...backlog }) => ({
      ...backlog,
      age: oldest === null ? 0 : Math.max(0, (now - Number(oldest)) / 1000),
    })) as Backlog[],
  }
}
