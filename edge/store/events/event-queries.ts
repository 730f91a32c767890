// Queries for the stored events, for callers.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { events, instances } from '@msgnet/shared/db/edge-tables.ts'
import { and, desc, eq, getTableColumns, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../database/open-store.ts'
import { IS_WANTED_BY_FURTHER } from './wanted-events.ts'

export type EventRow = typeof events.$inferSelect
export type FailedRow = Omit<EventRow, 'payload'>

export interface EventFilter {
  limit: number
  status?: EventRow['status'] | undefined
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
  const { payload, ...columns } = getTableColumns(events)
  const found = await store.large
    .select({
      event: { ...columns, payload: filter.withoutTexts ? NO_PAYLOAD : payload },
      found: sql<number>`page.found`,
    })
    .from(page)
    .innerJoin(events, sql`${events}.rowid = page.id`)
    .orderBy(sql`page.place`)
  return { rows: found.map(({ event }) => event), hasMore: (found[0]?.found ?? 0) > found.length }
}

const NO_PAYLOAD = sql`'{}'`.mapWith(events.payload)

/** SQL for the ids of the page's rows, with their places; `found` counts one more than the limit if there are more. */
function selectPage(instanceId: string | undefined, filter: EventFilter): SQL {
  const { limit, afterSeq, withoutTexts } = filter
  // Numbers of different instances cannot be compared.
  const position = instanceId === undefined ? events.createdAt : events.seq
  const direction = afterSeq === undefined ? sql`desc` : sql`asc`
  const texts = sql`octet_length(${events.payload}) + coalesce(octet_length(${events.lastResponse}), 0)`
  const size = withoutTexts ? sql`${RECORD_BYTES}` : sql`${RECORD_BYTES} + ${texts}`
  const index = chooseIndex(filter)
  const matching = sql`select rowid from ${events} ${index ? sql.raw(`indexed by ${index}`) : sql``}
    where ${buildCondition(instanceId, filter)} order by ${position} ${direction} limit ${limit + 1}`
  return sql`(select id, place, found from (
    select id, row_number() over up_to as place, sum(size) over up_to as bytes, count(*) over () as found
    from (select rowid as id, ${position} as position, ${size} as size from ${events} where rowid in (${matching}))
    window up_to as (order by position ${direction} rows unbounded preceding))
    where place <= ${limit} and (place = 1 or bytes <= ${limits.maxPageBytes})) page`
}

/**
 * If many events may be passed over until enough are found, they are searched in an index that has the searched
 * columns, because reading a million rows takes seconds. The database does not choose it by itself. Other states than
 * `delivered` have their own index and are few.
 */
function chooseIndex({ messageid, unaddressed, status, type, from, to }: EventFilter): string | undefined {
  if (messageid !== undefined) return undefined
  if (unaddressed) return 'events_unaddressed'
  const passesMany = (status ?? 'delivered') === 'delivered' && (type ?? from ?? to) !== undefined
  return passesMany ? 'events_filtered' : undefined
}

/** As in the partial index; and no webhook beside the first got it, or is to get it. */
const isUnaddressed = sql`${events.status} = 'delivered' and ${events.deliveredAt} is null
  and not exists (select 1 from further_deliveries d where d.event_id = ${events.id})
  and not exists (select 1 from further_webhooks where further_webhooks.instance_id = ${events.instanceId}
    and further_webhooks.cursor < ${events.seq} and ${sql.raw(IS_WANTED_BY_FURTHER)})`

const buildCondition = (
  instanceId: string | undefined,
  { status, type, messageid, from, to, afterSeq, beforeSeq, unaddressed }: EventFilter,
): SQL | undefined =>
  and(
    messageid === undefined ? undefined : sql`${events.id} in (${selectIdsByMessage(messageid)})`,
    // With `+` the database does not read all events of the instance to find the few about a message.
    instanceId === undefined
      ? undefined
      : messageid === undefined
        ? eq(events.instanceId, instanceId)
        : sql`+${events.instanceId} = ${instanceId}`,
    status && eq(events.status, status),
    type === undefined ? undefined : eq(events.type, type),
    from === undefined ? undefined : gte(events.createdAt, from),
    to === undefined ? undefined : lt(events.createdAt, to),
    afterSeq === undefined ? undefined : gt(events.seq, afterSeq),
    beforeSeq === undefined ? undefined : lt(events.seq, beforeSeq),
    unaddressed === undefined ? undefined : unaddressed ? isUnaddressed : sql`not (${isUnaddressed})`,
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
    .select({ event: events, instanceName: instances.name })
    .from(events)
    .innerJoin(instances, eq(instances.id, events.instanceId))
    .where(and(eq(events.id, id), isOwn))
  return found
}

/** Events whose last attempt failed, newest first. */
export function listFailures(store: Store, instanceId: string, limit: number): Promise<FailedRow[]> {
  const { payload, ...columns } = getTableColumns(events)
  const failed = and(eq(events.instanceId, instanceId), sql`${events.lastError} is not null`)
  return store.db.select(columns).from(events).where(failed).orderBy(desc(events.seq)).limit(limit)
}

export async function purgeEvents(store: Store, olderThan: number, max: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${events} where ${events.createdAt} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.delete(events).where(some)
  return rowsAffected
}

/** Deletes the responses of receivers to attempts before that time; the events stay. */
export async function purgeLastResponses(store: Store, olderThan: number, max: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${events}
    where ${events.lastResponse} is not null and ${events.lastAttemptAt} < ${olderThan} limit ${max})`
  const { rowsAffected } = await store.db.update(events).set({ lastResponse: null }).where(some)
  return rowsAffected
}
