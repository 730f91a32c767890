// SQL of what operators ask about instances: state and reason, number, and the state of the webhook. The overview counts by these
// expressions and the list filters by them, so a figure and the list behind it agree.

import { MINUTE } from '../../shared/date-time.ts'
import { selectOwner } from '../../shared/db/select-owner.ts'
import { DATABASE_NOW } from './database/open-store.ts'

/** To instances `i`: what the expressions read beside, the host and the subscription if there are any. */
export const JOINS = `left join hosts h on h.id = i.host_id left join subscriptions s on s.instance_id = i.id`

/** The lease of its host runs. */
export const IS_LEASED = `coalesce(h.lease_until, 0) > ${DATABASE_NOW}`

const IS_AWAY = `i.status <> 'disconnected' and not ${IS_LEASED}`

/** As `toInstanceRecord` shows it. */
export const STATE = `iif(${IS_AWAY}, 'connecting', i.status)`

/** A value of `AbsenceReason`, or the empty text while it is connected. */
export const REASON = `case when ${IS_AWAY} then 'host_away' when i.status = 'connected' then ''
  when i.last_disconnect_reason <> '' then i.last_disconnect_reason
  when i.jid = '' and i.previous_number = '' then 'never_linked' else 'none' end`

/** Of the linked account, or of the one that was linked last. */
export const NUMBER = selectOwner('i.jid', 'i.previous_number')

/** A row of another program, such as one that was restored, may have no folded name. */
export const FOLDED_NAME = `iif(i.folded_name = '', lower(i.name), i.folded_name)`

/** Without a failure, a due event should not wait longer than this. */
const LONG_WAIT = MINUTE

/** When the first waiting event is due, or was; null if none waits. */
const DUE_AT = `(select min(due.next_attempt_at) from events due where due.instance_id = i.id and due.status = 'pending')`

/** A value of `WebhookState`. */
export const selectWebhookState = (areWebhooksEnabled: boolean): string =>
  areWebhooksEnabled
    ? `case when coalesce(s.mode, 'off') = 'off' then 'off' when s.gone then 'resting' when not s.enabled then 'paused'
  when ${DUE_AT} is null then 'healthy'
  when s.failing_since > 0 then 'failing'
  when ${DUE_AT} < ${DATABASE_NOW} - ${LONG_WAIT} then 'waiting' else 'healthy' end`
    : `'off'`

/** `state` is SQL. */
export const selectWebhookSince = (state: string): string => `case ${state}
  when 'resting' then s.last_failure ->> 'at'
  when 'failing' then s.failing_since
  when 'waiting' then ${DUE_AT}
  when 'paused' then s.updated_at when 'off' then s.updated_at end`

/** In an index that has the time, because rows of events are large. */
export const LAST_EVENT_AT = `(select e.created_at from events e indexed by events_filtered
  where e.instance_id = i.id order by e.seq desc limit 1)`

export const PENDING = `(select count(*) from events p where p.instance_id = i.id and p.status = 'pending')`

/** Of the present destination. */
export const DEAD = `(select count(*) from events d where d.instance_id = i.id and d.status = 'dead'
  and d.dead_at > coalesce(s.since, 0))`
