// Statements that copy the global webhook to the instances that inherit it. Each instance holds a copy.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Store } from './database/open-store.ts'
import { dropUnwanted, type Lanes, strandMost, strandWaiting } from './strand-waiting.ts'

/** The instances that a statement applies to, as an SQL condition on `instance`, the id. */
export interface Scope {
  condition: string
  args: string[]
}

export const selectOneInstance = (id: string): Scope => ({ condition: 'instance = ?', args: [id] })

/** Those of them without their own choice. */
const selectInheriting = (ids: string[]): Scope => ({
  condition: `instance in (select value from json_each(?))
    and not exists (select 1 from webhooks f where f.instance_id = instance and f.position = 0 and f.mode in ('own', 'off'))`,
  args: [JSON.stringify(ids)],
})

const buildCondition = ({ condition }: Scope, column: string) =>
  `(${condition.replaceAll(/\binstance\b/g, column)})`

/** Their first webhooks. */
const selectFirst = (scope: Scope): Lanes => ({
  condition: `webhooks.position = 0 and ${buildCondition(scope, 'webhooks.instance_id')}`,
  args: scope.args,
})

/** Those of them that have another URL, format or options of it than the new ones: `destination` is SQL for the three, nulls for none. */
export function selectStranded(
  scope: Scope,
  destination: string,
  destinationArgs: Lanes['args'] = [],
): Lanes {
  const { condition, args } = selectFirst(scope)
  return {
    condition: `${condition} and (webhooks.url, webhooks.format, webhooks.format_options) is not ${destination}`,
    args: [...args, ...destinationArgs],
  }
}

const UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
  substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`

const IS_SAME_FORMAT = `mode in ('own', 'inherited') and url = excluded.url and format = excluded.format`

/** SQL of the columns whose values stay while the destination stays the same, and start again with another. */
export function buildLaneColumns({ keepsOptions }: { keepsOptions: boolean }) {
  const isSame = keepsOptions
    ? IS_SAME_FORMAT
    : `${IS_SAME_FORMAT} and format_options is excluded.format_options`
  return {
    cursor: `case when ${isSame} then cursor else excluded.cursor end`,
    since: `case when ${isSame} then since else excluded.since end`,
    lastDeliveredAt: `case when ${isSame} then last_delivered_at else 0 end`,
    // Nothing is tried during a pause, which is no failure.
    failingSince: `case when ${isSame} and (enabled or not excluded.enabled) then failing_since else 0 end`,
    reportedTrouble: `case when ${isSame} then reported_trouble else '' end`,
    gaveUpAt: `case when ${isSame} then gave_up_at else 0 end`,
    lastFailure: `case when ${isSame} then last_failure end`,
  }
}

const inheritedColumns = buildLaneColumns({ keepsOptions: false })

/**
 * Copies URL, secrets, events and filters of the global webhook to the instances in the scope; without one, they have none. Events that
 * wait for the previous URL must be made dead before this.
 */
export const copyServerWebhook = (scope: Scope, now: number): Statement => ({
  sql: `
insert into webhooks (instance_id, id, position, mode, url, events, ignored_events, exclude_messages, enabled,
  format, add_url_events, add_url_types, secret, previous_secret, previous_secret_until, cursor, since, created_at, updated_at)
select i.id, ${UUID}, 0, iif(g.id is null, 'none', 'inherited'), coalesce(g.url, ''), coalesce(g.events, '[]'),
  coalesce(g.ignored_events, '[]'), g.exclude_messages, coalesce(g.enabled, 0), coalesce(g.format, ''), coalesce(g.add_url_events, 0),
  coalesce(g.add_url_types, 0), g.secret, g.previous_secret, coalesce(g.previous_secret_until, 0), i.last_seq, ?, ?, ?
from instances i left join server_webhook g on g.registered
where ${buildCondition(scope, 'i.id')}
on conflict (instance_id, position) do update set
  cursor = ${inheritedColumns.cursor},
  since = ${inheritedColumns.since},
  last_delivered_at = ${inheritedColumns.lastDeliveredAt},
  failing_since = ${inheritedColumns.failingSince},
  last_failure = ${inheritedColumns.lastFailure},
  reported_trouble = ${inheritedColumns.reportedTrouble},
  gave_up_at = ${inheritedColumns.gaveUpAt},
  mode = excluded.mode, url = excluded.url, events = excluded.events, ignored_events = excluded.ignored_events,
  exclude_messages = excluded.exclude_messages, enabled = excluded.enabled, format = excluded.format, format_options = null,
  add_url_events = excluded.add_url_events, add_url_types = excluded.add_url_types, secret = excluded.secret,
  previous_secret = excluded.previous_secret, previous_secret_until = excluded.previous_secret_until,
  headers = null, header_names = null, chats = null, gone = 0, updated_at = excluded.updated_at`,
  args: [now, now, now, ...scope.args],
})

const GLOBAL_DESTINATION = '(select url, format, null from server_webhook where registered)'

/** Back to the present global webhook, or to none. `before` precedes the change in its write. */
export async function inheritServerWebhook(
  store: Store,
  scope: Scope,
  before: Statement[] = [],
): Promise<void> {
  const stranded = selectStranded(scope, GLOBAL_DESTINATION)
  await strandMost(store, stranded)
  const now = Date.now()
  await store.write([...before, ...strandWaiting(stranded, now), copyServerWebhook(scope, now)])
  await dropUnwanted(store, 0, selectFirst(scope))
}

/** Instances of one write. */
const COPIES_A_WRITE = 100

const listCopiedColumns = (table: string) =>
  [
    'url',
    'events',
    'ignored_events',
    'exclude_messages',
    'enabled',
    'format',
    'add_url_events',
    'add_url_types',
  ]
    .concat('secret', 'previous_secret', 'previous_secret_until')
    .map((column) => `${table}.${column}`)
    .join()

const OUTDATED = `select i.id from instances i
  left join webhooks w on w.instance_id = i.id and w.position = 0
  left join server_webhook g on g.registered
where i.id > ?1 and coalesce(w.mode, 'none') in ('inherited', 'none')
  and iif(g.id is null, w.mode = 'inherited', (${listCopiedColumns('w')}) is not (${listCopiedColumns('g')}) or (?2 and w.gone))
order by i.id limit ${COPIES_A_WRITE}`

/**
 * Brings the copies of the server's webhook up to date, some instances at a time: each with its waiting events in one write.
 * The next call finds what an interruption has left. `revives`: receivers that answered 410 are tried again.
 */
export async function updateCopies(store: Store, { revives }: { revives: boolean }): Promise<void> {
  for (let after = ''; ; ) {
    const args = [after, revives ? 1 : 0]
    const [outdated] = await store.readAll({ sql: OUTDATED, args, isLarge: true })
    const ids = (outdated?.rows ?? []).map(([id]) => String(id))
    if (ids.length === 0) return
    after = ids.at(-1) ?? ''
    await inheritServerWebhook(store, selectInheriting(ids))
  }
}
