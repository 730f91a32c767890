// Counts hosts, instances by state and reason, and what waits for receivers, for the metrics.

import type { DisconnectReason } from '../../shared/contract/instance-requests.ts'
import { HOUR } from '../../shared/date-time.ts'
import { DATABASE_NOW, type Store, toRecords } from './database/open-store.ts'

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

/** `paused` by its owner, `gone` by a 410 of the receiver. */
export const webhookStates = ['active', 'paused', 'gone', 'none'] as const
export type WebhookState = (typeof webhookStates)[number]

export interface Backlog {
  kind: string
  webhook: WebhookState
  /** Instances with such a webhook. */
  instances: number
  events: number
  /** Age of the oldest waiting event, in seconds. */
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

const BACKLOGS = `select kind, case when mode is null or mode = 'off' then 'none' when gone then 'gone'
    when enabled then 'active' else 'paused' end as webhook,
  count(*) as instances, sum(coalesce(queue.events, 0)) as events, min(queue.oldest) as oldest
  from instances left join subscriptions on subscriptions.instance_id = instances.id
  left join (
    select instance_id, count(*) as events, min(created_at) as oldest
    from (select instance_id, created_at from events where status = 'pending' limit ${COUNTED}) group by 1
  ) as queue on queue.instance_id = instances.id
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
