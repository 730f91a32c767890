// Statements that copy the global webhook to the instances that inherit it. Each instance holds a copy.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { writeInBatches } from './database/batches.ts'
import type { Store } from './database/open-store.ts'

/** The instances that a statement applies to, as an SQL condition on `instance`, the id. */
export interface Scope {
  condition: string
  args: string[]
}

export const selectOneInstance = (id: string): Scope => ({ condition: 'instance = ?', args: [id] })

/** Those of them without their own choice. */
const selectInheriting = (ids: string[]): Scope => ({
  condition: `instance in (select value from json_each(?))
    and not exists (select 1 from subscriptions s where s.instance_id = instance and s.mode <> 'inherited')`,
  args: [JSON.stringify(ids)],
})

const buildCondition = ({ condition }: Scope, column: string) =>
  `(${condition.replaceAll(/\binstance\b/g, column)})`

const UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
  substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`

const IS_SAME_URL = `mode <> 'off' and url = excluded.url`

/** SQL of the columns whose values stay while the URL stays the same, and start again with another URL. */
export const columnsOfSameUrl = {
  since: `case when ${IS_SAME_URL} then since else excluded.since end`,
  lastDeliveredAt: `case when ${IS_SAME_URL} then last_delivered_at else 0 end`,
  failingSince: `case when ${IS_SAME_URL} then failing_since else 0 end`,
  lastFailure: `case when ${IS_SAME_URL} then last_failure end`,
}

/**
 * Copies URL, secrets, events and filters of the global webhook to the instances in the scope. Events that
 * wait for the previous URL must be made dead before this.
 */
export const copyServerWebhook = (scope: Scope, now: number): Statement => ({
  sql: `
insert into subscriptions (instance_id, id, mode, url, events, ignored_events, exclude_messages, enabled,
  add_url_events, add_url_types, secret, previous_secret, previous_secret_until, since, created_at, updated_at)
select i.id, ${UUID}, 'inherited', g.url, g.events, g.ignored_events, g.exclude_messages, g.enabled,
  g.add_url_events, g.add_url_types, g.secret, g.previous_secret, g.previous_secret_until, ?, ?, ?
from instances i join server_webhook g on g.registered
where ${buildCondition(scope, 'i.id')}
on conflict (instance_id) do update set
  since = ${columnsOfSameUrl.since},
  last_delivered_at = ${columnsOfSameUrl.lastDeliveredAt},
  failing_since = ${columnsOfSameUrl.failingSince},
  last_failure = ${columnsOfSameUrl.lastFailure},
  mode = excluded.mode, url = excluded.url, events = excluded.events, ignored_events = excluded.ignored_events,
  exclude_messages = excluded.exclude_messages, enabled = excluded.enabled,
  add_url_events = excluded.add_url_events, add_url_types = excluded.add_url_types, secret = excluded.secret,
  previous_secret = excluded.previous_secret, previous_secret_until = excluded.previous_secret_until,
  headers = null, header_names = null, gone = 0, updated_at = excluded.updated_at`,
  args: [now, now, now, ...scope.args],
})

/** Deletes the copies if there is no global webhook. */
export const deleteCopies = (scope: Scope): Statement => ({
  sql: `delete from subscriptions where ${buildCondition(scope, 'subscriptions.instance_id')}
    and not exists (select 1 from server_webhook where registered)`,
  args: scope.args,
})

const stranding = `status = 'dead', dead_at = ?, next_attempt_at = null, last_error = 'destination_changed'`

/** Marks events dead that wait for another URL than the new one: `url` is SQL, null for none. */
export const markStrandedDead = (
  scope: Scope,
  now: number,
  url: string,
  urlArgs: string[] = [],
): Statement => ({
  sql: `update events set ${stranding}
where status = 'pending' and ${buildCondition(scope, 'events.instance_id')}
  and (select s.url from subscriptions s where s.instance_id = events.instance_id) is not ${url}`,
  args: [now, ...scope.args, ...urlArgs],
})

/** More than these are made dead before the write that changes the URL, which stays short so. */
const MAX_STRANDED = 500

/**
 * Marks most events dead that wait for another URL than the new one, while the previous one is still stored. Those that are left,
 * and that come meanwhile, are for `markStrandedDead`.
 */
export async function markMostStrandedDead(
  store: Store,
  scope: Scope,
  url: string,
  urlArgs: string[] = [],
): Promise<void> {
  const stranded = `from subscriptions held join events e on e.instance_id = held.instance_id and e.status = 'pending'
    where ${buildCondition(scope, 'held.instance_id')} and held.url is not ${url}`
  const args = [...scope.args, ...urlArgs]
  const mark = `update events set ${stranding} where rowid in (select e.rowid ${stranded} limit ?)
    and (select count(*) from (select 1 ${stranded} limit ${MAX_STRANDED + 1})) > ${MAX_STRANDED}`
  await writeInBatches(store, async (atMost) => {
    const [marked] = await store.write([{ sql: mark, args: [Date.now(), ...args, atMost, ...args] }])
    return marked?.rowsAffected ?? 0
  })
}

export const GLOBAL_URL = '(select url from server_webhook where registered)'

/** Instances of one write. */
const COPIES_A_WRITE = 100

const listCopiedColumns = (table: string) =>
  ['url', 'events', 'ignored_events', 'exclude_messages', 'enabled', 'add_url_events', 'add_url_types']
    .concat('secret', 'previous_secret', 'previous_secret_until')
    .map((column) => `${table}.${column}`)
    .join()

// Without an original, instances without a choice have no row.
const OUTDATED = `select i.id from instances i
  left join subscriptions s on s.instance_id = i.id
  left join server_webhook g on g.registered
where i.id > ?1 and coalesce(s.mode, 'inherited') = 'inherited'
  and iif(g.id is null, s.id is not null, (${listCopiedColumns('s')}) is not (${listCopiedColumns('g')}) or (?2 and s.gone))
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
    const scope = selectInheriting(ids)
    await markMostStrandedDead(store, scope, GLOBAL_URL)
    const now = Date.now()
    await store.write([
      markStrandedDead(scope, now, GLOBAL_URL),
      copyServerWebhook(scope, now),
      deleteCopies(scope),
    ])
  }
}
