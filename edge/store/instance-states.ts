// SQL of what operators ask about instances: state and reason, number, and the state of the webhook. The overview counts by these
// expressions and the list filters by them, so a figure and the list behind it agree.

import type { WebhookState } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { selectOwner } from '@msgnet/shared/db/select-owner.ts'
import { DATABASE_NOW } from './database/open-store.ts'
import { IS_WANTED_BY_FURTHER } from './events/wanted-events.ts'

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

/** From the best to the worst: the place of a state is its rank. */
const RANKED_STATES: WebhookState[] = ['off', 'healthy', 'paused', 'waiting', 'failing', 'resting']
const rank = (state: WebhookState): number => RANKED_STATES.indexOf(state)

const RANK_OF_FIRST = `case when coalesce(s.mode, 'off') = 'off' then ${rank('off')} when s.gone then ${rank('resting')}
  when not s.enabled then ${rank('paused')} when ${DUE_AT} is null then ${rank('healthy')}
  when s.failing_since > 0 then ${rank('failing')}
  when ${DUE_AT} < ${DATABASE_NOW} - ${LONG_WAIT} then ${rank('waiting')} else ${rank('healthy')} end`

/** Events are looked at from the cursor of a further webhook, which is not further behind one that it wants. */
const LOOKED_AT = 200

/** The time of a row of `further_webhooks`, as of the first webhook. The next event in order has no row before its first attempt. */
const FURTHER_DUE_AT = `coalesce(
  (select min(d.next_attempt_at) from further_deliveries d where d.webhook_id = further_webhooks.id and d.status = 'pending'),
  iif(i.last_seq > further_webhooks.cursor, (select events.created_at from (select * from events e
    where e.instance_id = i.id and e.seq > further_webhooks.cursor order by e.seq limit ${LOOKED_AT}) as events
    where ${IS_WANTED_BY_FURTHER} order by events.seq limit 1), null))`

const RANK_OF_FURTHER = `case when further_webhooks.gone then ${rank('resting')}
  when not further_webhooks.enabled then ${rank('paused')}
  when further_webhooks.failing_since > 0 and exists (select 1 from further_deliveries d
    where d.webhook_id = further_webhooks.id and d.status = 'pending') then ${rank('failing')}
  when ${FURTHER_DUE_AT} < ${DATABASE_NOW} - ${LONG_WAIT} then ${rank('waiting')} else ${rank('healthy')} end`

/** A value of `WebhookState`: of several webhooks, that of the worst. */
export const selectWebhookState = (areWebhooksEnabled: boolean): string =>
  areWebhooksEnabled
    ? `case max(${RANK_OF_FIRST}, coalesce((select max(${RANK_OF_FURTHER}) from further_webhooks
        where further_webhooks.instance_id = i.id), 0))
  ${RANKED_STATES.map((state, place) => `when ${place} then '${state}'`).join(' ')} end`
    : `'off'`

/** The further webhook whose state that is, to rows of `JOINS`; none if it is that of the first. */
export const JOIN_WORST = `left join further_webhooks on further_webhooks.id = (
  select ranked.id from (select further_webhooks.id, further_webhooks.created_at, ${RANK_OF_FURTHER} as rank
    from further_webhooks where further_webhooks.instance_id = i.id) as ranked
  where ranked.rank > ${RANK_OF_FIRST} order by ranked.rank desc, ranked.created_at limit 1)`

/** A column of the webhook whose state is shown. */
export const selectOfWorst = (column: string): string =>
  `iif(further_webhooks.id is null, s.${column}, further_webhooks.${column})`

/** `state` is SQL. */
export const selectWebhookSince = (state: string): string => `case ${state}
  when 'resting' then ${selectOfWorst('last_failure')} ->> 'at'
  when 'failing' then ${selectOfWorst('failing_since')}
  when 'waiting' then iif(further_webhooks.id is null, ${DUE_AT}, ${FURTHER_DUE_AT})
  when 'paused' then ${selectOfWorst('updated_at')} when 'off' then s.updated_at end`

/** In an index that has the time, because rows of events are large. */
export const LAST_EVENT_AT = `(select e.created_at from events e indexed by events_filtered
  where e.instance_id = i.id order by e.seq desc limit 1)`

export const PENDING = `(select count(*) from events p where p.instance_id = i.id and p.status = 'pending')`

/** Of the present destination. */
export const DEAD = `(select count(*) from events d where d.instance_id = i.id and d.status = 'dead'
  and d.dead_at > coalesce(s.since, 0))`
