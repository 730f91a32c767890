// Statements that copy the global webhook to the instances that inherit it. Each instance holds a copy.

import type { Statement } from '../../shared/db/statements.ts'

/** The instances that a statement applies to, as an SQL condition on `instance`, the id. */
export interface Scope {
  condition: string
  args: string[]
}

export const oneInstance = (id: string): Scope => ({ condition: 'instance = ?', args: [id] })

/** All instances without their own choice. */
export const whoeverInherits: Scope = {
  condition: `not exists (select 1 from subscriptions s where s.instance_id = instance and s.mode <> 'inherited')`,
  args: [],
}

const about = ({ condition }: Scope, column: string) => `(${condition.replaceAll(/\binstance\b/g, column)})`

const UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
  substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`

/**
 * Copies URL, secrets, events and filters of the global webhook to the instances in the scope. The same URL keeps its
 * health; another starts without. Events that wait for the former URL must be made dead before this.
 */
export const inheritStatement = (scope: Scope, now: number): Statement => ({
  sql: `
insert into subscriptions (instance_id, id, mode, url, events, ignored_events, exclude_messages, enabled,
  add_url_events, add_url_types, secret, previous_secret, previous_secret_until, since, created_at, updated_at)
select i.id, ${UUID}, 'inherited', g.url, g.events, g.ignored_events, g.exclude_messages, g.enabled,
  g.add_url_events, g.add_url_types, g.secret, g.previous_secret, g.previous_secret_until, ?, ?, ?
from instances i join server_webhook g on g.registered
where ${about(scope, 'i.id')}
on conflict (instance_id) do update set
  since = case when mode <> 'off' and url = excluded.url then since else excluded.since end,
  last_delivered_at = case when mode <> 'off' and url = excluded.url then last_delivered_at else 0 end,
  last_failure = case when mode <> 'off' and url = excluded.url then last_failure end,
  mode = excluded.mode, url = excluded.url, events = excluded.events, ignored_events = excluded.ignored_events,
  exclude_messages = excluded.exclude_messages, enabled = excluded.enabled,
  add_url_events = excluded.add_url_events, add_url_types = excluded.add_url_types, secret = excluded.secret,
  previous_secret = excluded.previous_secret, previous_secret_until = excluded.previous_secret_until,
  gone = 0, updated_at = excluded.updated_at`,
  args: [now, now, now, ...scope.args],
})

/** Deletes the copies if there is no global webhook. */
export const dropCopies = (scope: Scope): Statement => ({
  sql: `delete from subscriptions where ${about(scope, 'subscriptions.instance_id')}
    and not exists (select 1 from server_webhook where registered)`,
  args: scope.args,
})

/** Makes events dead that wait for another URL than the new one: `url` is SQL, null for none. */
export const markStrandedDead = (
  scope: Scope,
  now: number,
  url: string,
  urlArgs: string[] = [],
): Statement => ({
  sql: `update events set status = 'dead', dead_at = ?, next_attempt_at = null, last_error = 'destination_changed'
where status = 'pending' and ${about(scope, 'events.instance_id')}
  and (select s.url from subscriptions s where s.instance_id = events.instance_id) is not ${url}`,
  args: [now, ...scope.args, ...urlArgs],
})

export const GLOBAL_URL = '(select url from server_webhook where registered)'
