// SQL of what became of an event at a webhook: from its row in `deliveries`, or from the cursor of the webhook where it has none.

import { FAILURES_THAT_BLOCK } from '@msgnet/shared/delivery-schedule.ts'

/** Something may be sent to a row of `webhooks` now: it is not off, paused, or stopped by a 410. */
export const IS_ACTIVE = `(webhooks.mode in ('own', 'inherited') and webhooks.enabled and not webhooks.gone)`

/** The webhook was to get the event when it was stored. Of rows of `events` and `webhooks`. */
export const WAS_WANTED = `((events.wanted >> webhooks.position) & 1)`

const HAS_ROW = `exists (select 1 from deliveries d where d.lane = webhooks.lane and d.seq = events.seq)`

/** The event was never tried, and is to be. Of rows of `events` and `webhooks`. */
export const IS_UNTRIED = `(events.seq > webhooks.cursor and ${WAS_WANTED} and not ${HAS_ROW})`

/** The same where `deliveries` is joined. */
export const IS_UNTRIED_JOINED = `(deliveries.lane is null and events.seq > webhooks.cursor and ${WAS_WANTED})`

export const JOIN_DELIVERY = `left join deliveries on deliveries.lane = webhooks.lane and deliveries.seq = events.seq`

/** Behind the cursor, a delivery that failed stops those after it until it is due again. `row` names one of `deliveries`. */
export const buildBlocks = (row: string): string =>
  `(${row}.status = 'pending' and ${row}.attempts < ${FAILURES_THAT_BLOCK})`

/** Of rows of `webhooks`. */
export const IS_BLOCKED = `exists (select 1 from deliveries d
  where d.lane = webhooks.lane and d.seq > webhooks.cursor and ${buildBlocks('d')})`

/**
 * The status that an event has at its first webhook, which is the event's own: without a webhook that was to get it, it is settled
 * when it is stored. Of `events`, and of `webhooks` and `deliveries` that are joined if there are any.
 */
export const STATUS = `coalesce(deliveries.status, case when events.refused is not null then 'dead'
  when ${IS_UNTRIED_JOINED} then 'pending' else 'delivered' end)`

/** To rows of `events`: their first webhook and their delivery there. */
export const JOIN_FIRST = `left join webhooks on webhooks.instance_id = events.instance_id and webhooks.position = 0
  ${JOIN_DELIVERY}`

/** Columns that are read from the index alone, because rows of events are large. Of the events after the cursor of a row of `webhooks`. */
const AFTER_CURSOR = `from events indexed by events_in_log
  where events.instance_id = webhooks.instance_id and events.seq > webhooks.cursor`

const DUE_ROWS = `from deliveries d where d.lane = webhooks.lane and d.status = 'pending'`

/** When the next waiting event of a row of `webhooks` is due, in whatever order; null if none waits. */
export const SOONEST_DUE = `(select min(due) from (
  select min(d.next_attempt_at) as due ${DUE_ROWS}
  union all select * from (select events.created_at ${AFTER_CURSOR} and ${IS_UNTRIED} order by events.seq limit 1)))`

/** The same of the event that is next in order, before which no later one is sent. */
const DUE_IN_ORDER = `(select coalesce((select d.next_attempt_at ${DUE_ROWS} and d.seq = events.seq), events.created_at)
  ${AFTER_CURSOR} and (${IS_UNTRIED} or exists (
    select 1 from deliveries d where d.lane = webhooks.lane and d.seq = events.seq and ${buildBlocks('d')})) order by events.seq limit 1)`

/** How many events wait for a row of `webhooks`. Few after the cursor have rows, so those are counted apart. */
export const PENDING = `((select count(*) ${DUE_ROWS}) + (select count(*) ${AFTER_CURSOR} and ${WAS_WANTED})
  - (select count(*) from deliveries d cross join events indexed by events_in_log
    on events.instance_id = webhooks.instance_id and events.seq = d.seq
    where d.lane = webhooks.lane and d.seq > webhooks.cursor and ${WAS_WANTED}))`

/** How many died at its present URL. */
export const DEAD = `(select count(*) from deliveries d
  where d.lane = webhooks.lane and d.status = 'dead' and d.dead_at > webhooks.since)`

/** When something may be sent to it again; 0 if nothing waits. */
export const DUE_AT = `coalesce(${DUE_IN_ORDER}, (select min(d.next_attempt_at) ${DUE_ROWS}), 0)`
