// SQL of what operators ask about instances: state and reason, number, and the state of the webhook. The overview counts by these
// expressions and the list filters by them, so a figure and the list behind it agree.

import type { WebhookState } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { selectOwner } from '@msgnet/shared/db/select-owner.ts'
import { DATABASE_NOW } from './database/open-store.ts'
import { DEAD, PENDING, SOONEST_DUE } from './events/lane-sql.ts'

/** To instances `i`: what the expressions read beside, the host and the first webhook if there are any. */
export const JOINS = `left join hosts h on h.id = i.host_id
  left join webhooks f on f.instance_id = i.id and f.position = 0`

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

/** From the best to the worst: the place of a state is its rank. */
const RANKED_STATES: WebhookState[] = ['off', 'healthy', 'paused', 'waiting', 'failing', 'resting']
const rank = (state: WebhookState): number => RANKED_STATES.indexOf(state)

/** Of a row of `webhooks`. */
const RANK = `case when webhooks.mode not in ('own', 'inherited') then ${rank('off')} when webhooks.gone then ${rank('resting')}
  when not webhooks.enabled then ${rank('paused')} when ${SOONEST_DUE} is null then ${rank('healthy')}
  when webhooks.failing_since > 0 then ${rank('failing')}
  when ${SOONEST_DUE} < ${DATABASE_NOW} - ${LONG_WAIT} then ${rank('waiting')} else ${rank('healthy')} end`

/** A value of `WebhookState`: of several webhooks, that of the worst. */
export const selectWebhookState = (areWebhooksEnabled: boolean): string =>
  areWebhooksEnabled
    ? `case coalesce((select max(${RANK}) from webhooks where webhooks.instance_id = i.id), 0)
  ${RANKED_STATES.map((state, place) => `when ${place} then '${state}'`).join(' ')} end`
    : `'off'`

/** The webhook whose state that is, to rows of `JOINS`; none if all are off. */
export const JOIN_WORST = `left join webhooks on webhooks.lane = (
  select ranked.lane from (select webhooks.lane, webhooks.position, webhooks.created_at, ${RANK} as rank
    from webhooks where webhooks.instance_id = i.id) as ranked
  where ranked.rank > 0 order by ranked.rank desc, ranked.position > 0, ranked.created_at limit 1)`

/** `state` is SQL. */
export const selectWebhookSince = (state: string): string => `case ${state}
  when 'resting' then webhooks.last_failure ->> 'at' when 'failing' then webhooks.failing_since
  when 'waiting' then ${SOONEST_DUE} when 'paused' then webhooks.updated_at
  when 'off' then iif(f.mode = 'off', f.updated_at, null) end`

/** In an index that has the time, because rows of events are large. */
export const LAST_EVENT_AT = `(select e.created_at from events e indexed by events_in_log
  where e.instance_id = i.id order by e.seq desc limit 1)`

const sumOverWebhooks = (count: string) =>
  `coalesce((select sum(${count}) from webhooks where webhooks.instance_id = i.id), 0)`

/** Deliveries that wait, of all webhooks of the instance. */
export const ALL_PENDING = sumOverWebhooks(PENDING)

/** Of their present destinations. */
export const ALL_DEAD = sumOverWebhooks(DEAD)
