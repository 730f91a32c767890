// Queries for the stored events, for callers. What became of an event is that at the first webhook of its instance.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { deliveries, events, instances, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { and, eq, getTableColumns, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../database/open-store.ts'
import { IS_UNTRIED_JOINED, JOIN_DELIVERY, JOIN_FIRST, STATUS } from './lane-sql.ts'
import { isInGivenChats } from './wanted-events.ts'

export type StoredRow = typeof events.$inferSelect
type DeliveryRow = typeof deliveries.$inferSelect
export type EventStatus = DeliveryRow['status']

/** An event, and what became of it. */
export type EventRow = Omit<StoredRow, 'beyond'> &
  Pick<Partial<StoredRow>, 'beyond'> &
  Omit<DeliveryRow, 'lane' | 'seq' | 'partsDone'> & { deliveredAt: number | null }
export type FailedRow = Omit<EventRow, 'payload'>

export interface EventFilter {
  limit: number
  status?: EventStatus | undefined
  type?: string | undefined
  /** Events about this message. */
  messageid?: string | undefined
  /** When they were stored, in milliseconds; `from` is included, `to` is not. */
  from?: number | undefined
  to?: number | undefined
  /** Lists the events after this one, oldest first; without it the newest come first. */
  afterSeq?: number | undefined
  beforeSeq?: number | undefined
  /** Whether no webhook was to receive the events. */
  unaddressed?: boolean | undefined
  /** Only those of these chats, and those that are about none. */
  chats?: string[] | undefined
  /** Their payloads are not read, and empty. */
  withoutTexts?: boolean
}

export interface EventPage {
  rows: EventRow[]
  /** Others match: the caller goes on behind the last row. */
  hasMore: boolean
}

/** Of a record beside its payload and the response of a receiver, in bytes; few are longer. */
const RECORD_BYTES = 512

const NO_PAYLOAD = sql`'{}'`.mapWith(events.payload)

const { payload, beyond, ...withoutPayload } = getTableColumns(events)

/** Of an event whose first webhook and delivery there are joined, if there are any. */
const outcome = {
  status: sql<EventStatus>`${sql.raw(STATUS)}`,
  attempts: sql<number>`coalesce(${deliveries.attempts}, 0)`,
  lastAttemptAt: deliveries.lastAttemptAt,
  lastDuration: deliveries.lastDuration,
  lastStatus: deliveries.lastStatus,
  /** What was never tried is due since it was stored. */
  nextAttemptAt: sql<
    number | null
  >`iif(${sql.raw(IS_UNTRIED_JOINED)}, ${events.createdAt}, ${deliveries.nextAttemptAt})`,
  deliveredAt: sql<number | null>`iif(${deliveries.status} = 'delivered', ${deliveries.lastAttemptAt}, null)`,
  deadAt: sql<
    number | null
  >`iif(${deliveries.lane} is null and ${events.refused} is not null, ${events.createdAt}, ${deliveries.deadAt})`,
  lastError: sql<string | null>`iif(${deliveries.lane} is null, ${events.refused}, ${deliveries.lastError})`,
  lastResponse: deliveries.lastResponse,
}

const joinsFirst = and(eq(webhooks.instanceId, events.instanceId), sql`${webhooks.position} = 0`)
const joinsDelivery = and(eq(deliveries.lane, webhooks.lane), eq(deliveries.seq, events.seq))

/**
 * Without an instance a `messageid` is required. Fewer events than the limit if they are large: the database adds up their sizes, so
 * that no text is read that the page does not show.
 */
export async function listEvents(
  store: Store,
  instanceId: string | undefined,
  filter: EventFilter,
): Promise<EventPage> {
  const page = selectPage(instanceId, filter)
  const found = await store.large
    .select({
      event: { ...withoutPayload, payload: filter.withoutTexts ? NO_PAYLOAD : payload, ...outcome },
      found: sql<number>`page.found`,
    })
    .from(page)
    .innerJoin(events, sql`${events}.rowid = page.id`)
    .leftJoin(webhooks, joinsFirst)
    .leftJoin(deliveries, joinsDelivery)
    .orderBy(sql`page.place`)
  return { rows: found.map(({ event }) => event), hasMore: (found[0]?.found ?? 0) > found.length }
}

/** SQL for the ids of the page's rows, with their places; `found` counts one more than the limit if there are more. */
function selectPage(instanceId: string | undefined, filter: EventFilter): SQL {
  const { limit, withoutTexts } = filter
  const { position, direction } = chooseOrder(instanceId, filter)
  const texts = sql`octet_length(${events.payload}) + coalesce((select octet_length(d.last_response) from deliveries d
    join webhooks w on w.lane = d.lane and w.position = 0 where w.instance_id = ${events.instanceId} and d.seq = ${events.seq}), 0)`
  const size = withoutTexts ? sql`${RECORD_BYTES}` : sql`${RECORD_BYTES} + ${texts}`
  return sql`(select id, place, found from (
    select id, row_number() over up_to as place, sum(size) over up_to as bytes, count(*) over () as found
    from (select rowid as id, ${position} as position, ${size} as size from ${events}
      where rowid in (select id from (${selectMatching(instanceId, filter)})))
    window up_to as (order by position ${direction} rows unbounded preceding))
    where place <= ${limit} and (place = 1 or bytes <= ${limits.maxPageBytes})) page`
}

/** Numbers of different instances cannot be compared. */
const chooseOrder = (instanceId: string | undefined, { afterSeq }: EventFilter) => ({
  position: instanceId === undefined ? events.createdAt : events.seq,
  direction: afterSeq === undefined ? sql`desc` : sql`asc`,
})

/** SQL for the ids of the events that match, one more than the limit. Those that wait or are dead are few, and are found without a search. */
function selectMatching(instanceId: string | undefined, filter: EventFilter): SQL {
  const { limit, messageid, status } = filter
  const { position, direction } = chooseOrder(instanceId, filter)
  const selectSome = (source: SQL, extra?: SQL) => sql`select * from (
    select ${events}.rowid as id, ${position} as position from ${source} where ${and(buildCondition(instanceId, filter), extra)}
    order by ${position} ${direction} limit ${limit + 1})`
  if (instanceId === undefined || messageid !== undefined) return selectSome(sql`${events} ${JOINED}`)
  if (status === undefined || status === 'delivered')
    return selectSome(sql`${events} ${sql.raw(chooseIndex(filter))} ${JOINED}`)
  const isFirst = sql`${webhooks.instanceId} = ${instanceId} and ${webhooks.position} = 0`
  const withRow = selectSome(WITH_ROW, sql`${isFirst} and ${deliveries.status} = ${status}`)
  const withoutRow =
    status === 'pending'
      ? selectSome(AFTER_CURSOR, sql`${isFirst} and ${deliveries.lane} is null`)
      : selectSome(NOT_WHOLE, sql`${events.refused} is not null and ${deliveries.lane} is null`)
  return sql`${withRow} union all ${withoutRow} order by position ${direction} limit ${limit + 1}`
}

const JOINED = sql.raw(JOIN_FIRST)
// Where to look for events that wait or are dead: those with a row of their own, and those without.
const WITH_ROW = sql.raw(`webhooks cross join deliveries on deliveries.lane = webhooks.lane
  cross join events on events.instance_id = webhooks.instance_id and events.seq = deliveries.seq`)
const AFTER_CURSOR = sql.raw(`webhooks cross join events on events.instance_id = webhooks.instance_id
  and events.seq > webhooks.cursor ${JOIN_DELIVERY}`)
const NOT_WHOLE = sql.raw(`events indexed by events_not_whole ${JOIN_FIRST}`)

/**
 * If many events may be passed over until enough are found, they are searched in an index that has the searched
 * columns, because reading a million rows takes seconds. The database does not choose it by itself.
 */
const chooseIndex = ({ unaddressed }: EventFilter): string =>
  unaddressed ? 'indexed by events_unaddressed' : 'indexed by events_in_log'

/** No webhook was to get it, and none got it by a replay or is to get it. */
const IS_UNADDRESSED = `(events.wanted = 0 and events.refused is null and not exists (
  select 1 from webhooks w join deliveries d on d.lane = w.lane and d.seq = events.seq where w.instance_id = events.instance_id))`
const isUnaddressed = sql.raw(IS_UNADDRESSED)

const buildCondition = (
  instanceId: string | undefined,
  { status, type, messageid, from, to, afterSeq, beforeSeq, unaddressed, chats }: EventFilter,
): SQL | undefined =>
  and(
    messageid === undefined ? undefined : sql`${events.id} in (${selectIdsByMessage(messageid)})`,
    // With `+` the database does not read all events of the instance to find the few about a message.
    instanceId === undefined
      ? undefined
      : messageid === undefined
        ? eq(events.instanceId, instanceId)
        : sql`+${events.instanceId} = ${instanceId}`,
    status && sql`${sql.raw(STATUS)} = ${status}`,
    type === undefined ? undefined : eq(events.type, type),
    from === undefined ? undefined : gte(events.createdAt, from),
    to === undefined ? undefined : lt(events.createdAt, to),
    afterSeq === undefined ? undefined : gt(events.seq, afterSeq),
    beforeSeq === undefined ? undefined : lt(events.seq, beforeSeq),
    unaddressed === undefined ? undefined : unaddressed ? isUnaddressed : sql`not ${isUnaddressed}`,
    chats && isInGivenChats(chats),
  )

/** An event about several messages has an empty `messageid`; only those of instances that have the message are read. */
const selectIdsByMessage = (messageid: string): SQL => sql`
  select id from events where messageid = ${messageid}
  union all
  select several.id from events several
  where several.messageid = ''
    and several.instance_id in (select instance_id from events where messageid = ${messageid})
    and exists (select 1 from json_each(several.payload, '$.event.MessageIDs') where value = ${messageid})`

export interface FoundEvent {
  event: EventRow
  instanceName: string
}

/** Without an instance, of any. */
export async function findEvent(
  store: Store,
  id: string,
  instanceId: string | undefined,
): Promise<FoundEvent | undefined> {
  const isOwn = instanceId === undefined ? undefined : eq(events.instanceId, instanceId)
  const [found] = await store.db
    .select({ event: { ...withoutPayload, payload, beyond, ...outcome }, instanceName: instances.name })
    .from(events)
    .innerJoin(instances, eq(instances.id, events.instanceId))
    .leftJoin(webhooks, joinsFirst)
    .leftJoin(deliveries, joinsDelivery)
    .where(and(eq(events.id, id), isOwn))
  return found
}

/** Deleted with what became of them. */
export async function purgeEvents(store: Store, olderThan: number, max: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${events} where ${events.createdAt} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.delete(events).where(some)
  return rowsAffected
}
