// Writes the reports of a host to the database: one batch a frame, so that a frame is stored whole or not at all.

import type {
  EventName,
  MessageFilter,
  MessagesPayload,
  WebhookEvent,
} from '@msgnet/shared/contract/event-names.ts'
import { listMessageIds } from '@msgnet/shared/contract/message-ids.ts'
import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { BeyondContract } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { EventReport, Report, StateReport } from '@msgnet/shared/wire/host-reports.ts'
import type { Arrival } from '../../objects/due-events.ts'
import type { Store } from '../database/open-store.ts'
import { type ReportedState, type SealedState, storeState } from '../state-queries.ts'
import { buildArrivals, type NewEvent, selectArrivals } from './arrival-queries.ts'
import { IS_REPORT_WANTED, isStatusPost, listChats } from './wanted-events.ts'

/** The webhooks that are to get an event of the report, by position: what they choose then counts, whatever they choose later. */
const WANTED = `coalesce((select sum(1 << w.position) from webhooks w
    where w.instance_id = report.instance_id and w.mode in ('own', 'inherited')
      and ${IS_REPORT_WANTED}), 0)`

/**
 * Numbers each instance's new events after its last one. The statement decides who is to get them: a webhook that is saved
 * meanwhile applies either to every event of the frame or to none. Not inserted are events that are stored already, those of
 * deleted instances and of instances of other hosts (`owned`, in SQL), and parts of a history and codes that no webhook wants: a phone has a
 * hundred thousand messages, which are in the host's store all the same. `status` was for the version before.
 */
const insertEvents = (owned: string) => `
with report as (
  select key as place, value ->> 'id' as id, value ->> 'instance' as instance_id, value ->> 'epoch' as epoch,
    value ->> 'type' as type, value ->> 'owner' as owner, value ->> 'at' as at,
    value -> 'payload' as payload, value -> 'filters' as filters, value -> 'chats' as chats, value ->> 'refused' as refused,
    value -> 'beyond' as beyond, value -> 'also' as also, value ->> 'isCode' as is_code, value ->> 'isOptional' as is_optional, value ->> 'named' as named,
    value ->> 'requestId' as request_id, value ->> 'traceparent' as traceparent, value ->> 'messageid' as messageid
  from json_each(?1)
)
insert into events (id, instance_id, seq, type, owner, payload, beyond, at, created_at, status, wanted, refused,
  request_id, traceparent, messageid)
select id, instance_id, last_seq + row_number() over (partition by instance_id order by place), type, owner, payload, beyond, at, ?2,
  'delivered', iif(refused is null, wanted, 0), refused, request_id, traceparent, messageid
from (
  select report.*, i.last_seq, ${WANTED} as wanted
  from report
  join instances i on i.id = report.instance_id and ${owned}
  where not exists (select 1 from events known where known.id = report.id)
) where wanted <> 0 or (type <> 'history' and is_optional is null)
on conflict (id) do nothing`

const INSERT_EVENTS = insertEvents('i.host_id = ?3 and i.epoch <= report.epoch')

/**
 * SQL that checks that the host had the instance before, `and` more. Among hosts that share a store, the present one finds
 * and reports what the previous one has left.
 */
const wasPreviousHost = (host: string, and: string) => `exists (
  select 1 from previous_hosts previous join hosts before on before.id = previous.host_id
  join hosts present on present.id = i.host_id and present.store_id <> before.store_id
  where previous.instance_id = i.id and previous.host_id = ${host} and ${and})`

/** Events that the network sent to the previous host came to no other. Only the current host knows the session's state. */
const INSERT_PREVIOUS = insertEvents(
  wasPreviousHost('?3', "report.epoch <= previous.epoch and report.type <> 'connection'"),
)

const PREVIOUS_INSTANCES = `select i.id from json_each(?1) named join instances i on i.id = named.value
where ${wasPreviousHost('?2', 'true')}`

const MOVE_LAST_SEQ = `
update instances
set last_seq = max(last_seq, coalesce((select max(seq) from events where instance_id = instances.id), 0))
where id in (select value ->> 'instance' from json_each(?1))`

const MOVED = `
select distinct i.id from json_each(?1) report join instances i on i.id = report.value ->> 'instance'
where i.host_id <> ?2 or i.epoch > report.value ->> 'epoch'`

const WANT_HISTORY = `
select named.value as id from json_each(?1) named
where exists (select 1 from webhooks w join json_each(w.events) e on e.value = 'history' where w.instance_id = named.value)`

/** An event for a new QR code or pairing code, which only some forms have. */
export interface CodeReport extends EventReport {
  isCode: true
}

/** What dialects make events of, by the stored names of their formats. */
export interface Forms {
  showingCodes: StoredFormat[]
  showingResults: StoredFormat[]
  /** Also if no webhook wants them. */
  areCodesStored: boolean
}

export interface Ingested {
  arrivals: Arrival[]
  /** Instances whose reports were not accepted, because they have a newer assignment. */
  moved: string[]
  /** Parts of a history that were not stored, because no webhook of their instance gets any. */
  unwanted: UnwantedPart[]
}

type UnwantedPart = Pick<EventReport, 'instance' | 'id'>
type Written = Pick<Ingested, 'arrivals' | 'moved'>

/** `alongside` is written in the same transaction. */
export async function ingestReports(
  store: Store,
  hostId: string,
  reports: (Report | CodeReport)[],
  {
    sealState,
    alongside,
    forms,
  }: { sealState: (state: ReportedState) => Promise<SealedState>; alongside: Statement[]; forms: Forms },
): Promise<Ingested> {
  const sealed = await Promise.all(selectNewestStates(reports).map(sealState))
  const states = sealed.map((state) => storeState(store, hostId, state))
  const { reported, unwanted } = await selectWantedHistory(store, removeRepeatedEvents(reports))
  const events = reported.map((report) => toNewEvent(report, forms))
  const first = [...alongside, ...states]
  const written = await writeReports(store, hostId, {
    reports,
    first,
    events,
    rows: events.map((event) => toInsertedRow(event, forms)),
  })
  return { ...written, unwanted }
}

/** For an event that cannot be stored whole: it becomes a dead one with this data. */
export async function ingestDead(
  store: Store,
  hostId: string,
  event: Omit<EventReport, 't' | 'n' | 'also'>,
  refused: string,
): Promise<Ingested> {
  const written = await writeReports(store, hostId, {
    reports: [event],
    first: [],
    events: [],
    rows: [{ ...event, beyond: null, messageid: toMessageColumn(event), filters: [], refused }],
  })
  return { ...written, unwanted: [] }
}

/** An event as it is inserted. `filters`: those that match it; `chats`: as of `listChats`. `refused`: why it is dead from the beginning. */
interface Row extends Omit<NewEvent, 't' | 'n' | 'cause'>, Partial<NonNullable<EventReport['cause']>> {
  messageid: string | null
  filters: string[]
  chats?: string[][] | undefined
  refused?: string
  /** What webhooks of these formats may choose it as too, or with `isCode` alone. */
  also?: { type: EventName; filters: MessageFilter[]; formats: StoredFormat[] } | undefined
  isCode?: true | undefined
  /** Not stored unless a webhook wants it. */
  isOptional?: true | undefined
  /** The name that a webhook chooses it by, where that is not its type. */
  named?: WebhookEvent | undefined
}

interface ReportWrite {
  reports: { instance: string; epoch: number }[]
  first: Statement[]
  /** The events among the rows that can be delivered unchanged. */
  events: NewEvent[]
  rows: Row[]
}

async function writeReports(
  store: Store,
  hostId: string,
  { reports, first, events, rows }: ReportWrite,
): Promise<Written> {
  const now = Date.now()
  const about = JSON.stringify(reports.map(({ instance, epoch }) => ({ instance, epoch })))
  const readMoved: Statement = { sql: MOVED, args: [about, hostId] }
  const inserts = rows.length === 0 ? [] : buildInserts(INSERT_EVENTS, rows, now, hostId)
  const results = await store.write([...first, readMoved, ...inserts])
  const arrivals = rows.length === 0 ? [] : buildArrivals(results.slice(-2), events, now)
  const moved = (results[first.length]?.rows ?? []).map(([id]) => String(id))
  if (moved.length === 0) return { arrivals, moved }
  const left = await writePreviousReports(store, hostId, moved, { events, rows })
  return { arrivals: [...arrivals, ...left.arrivals], moved: left.moved }
}

/** Stores events of `moved` instances that only their previous host can report. */
async function writePreviousReports(
  store: Store,
  hostId: string,
  moved: string[],
  { events, rows }: Pick<ReportWrite, 'events' | 'rows'>,
): Promise<Written> {
  const now = Date.now()
  const previous = rows.filter(({ instance }) => moved.includes(instance))
  const readPrevious: Statement = { sql: PREVIOUS_INSTANCES, args: [JSON.stringify(moved), hostId] }
  const inserts = previous.length === 0 ? [] : buildInserts(INSERT_PREVIOUS, previous, now, hostId)
  const results = await store.write([readPrevious, ...inserts])
  const accepted = new Set((results[0]?.rows ?? []).map(([id]) => String(id)))
  return {
    arrivals: previous.length === 0 ? [] : buildArrivals(results.slice(-2), events, now),
    moved: moved.filter((instance) => !accepted.has(instance)),
  }
}

function buildInserts(sql: string, rows: Row[], now: number, hostId: string): Statement[] {
  const inserted = JSON.stringify(rows.map(({ id, instance }) => ({ id, instance })))
  return [
    { sql, args: [JSON.stringify(rows), now, hostId] },
    { sql: MOVE_LAST_SEQ, args: [inserted] },
    ...selectArrivals(inserted, now),
  ]
}

function selectNewestStates(reports: Report[]): StateReport[] {
  const newest = new Map<string, StateReport>()
  for (const report of reports) {
    if (report.t !== 'state') continue
    const known = newest.get(report.instance)
    if (!known || known.epoch < report.epoch || known.state.rev < report.state.rev)
      newest.set(report.instance, report)
  }
  return [...newest.values()]
}

function removeRepeatedEvents(reports: Report[]): EventReport[] {
  const seen = new Set<string>()
  return reports.filter(
    (report): report is EventReport =>
      report.t === 'event' && !seen.has(report.id) && seen.add(report.id) !== undefined,
  )
}

/** The insert would not take the others either, but it would have to read all of them for that. */
async function selectWantedHistory(
  store: Store,
  events: EventReport[],
): Promise<{ reported: EventReport[]; unwanted: UnwantedPart[] }> {
  const instances = new Set(events.filter(({ type }) => type === 'history').map(({ instance }) => instance))
  if (instances.size === 0) return { reported: events, unwanted: [] }
  const [found] = await store.readAll({ sql: WANT_HISTORY, args: [JSON.stringify([...instances])] })
  const wanted = new Set(found?.rows.map(([id]) => id))
  const isUnwanted = ({ type, instance }: EventReport) => type === 'history' && !wanted.has(instance)
  return {
    reported: events.filter((event) => !isUnwanted(event)),
    unwanted: events.filter(isUnwanted).map(({ instance, id }) => ({ instance, id })),
  }
}

const isCodeReport = (report: EventReport | CodeReport): report is CodeReport => 'isCode' in report

function toNewEvent(report: EventReport | CodeReport, forms: Forms): NewEvent {
  const { also: result, ...event } = report
  if (isCodeReport(report)) return { ...event, beyond: { code: true } }
  return { ...event, beyond: result && forms.showingResults.length > 0 ? { result } : null }
}

const toInsertedRow = (
  { id, instance, epoch, type, owner, at, payload, cause, beyond }: NewEvent,
  forms: Forms,
): Row => ({
  id,
  instance,
  epoch,
  type,
  owner,
  at,
  payload,
  messageid: toMessageColumn({ type, payload }),
  filters: matchFilters(type, payload),
  chats: listChats(type, payload),
  beyond,
  ...(isStatusPost(type, payload) && { named: 'status_posts', isOptional: true }),
  ...(beyond && describeBeyond(beyond, forms)),
  ...cause,
})

function describeBeyond(
  { result }: BeyondContract,
  forms: Forms,
): Pick<Row, 'also' | 'isCode' | 'isOptional'> {
  if (!result) {
    const also = { type: 'connection' as const, filters: [], formats: forms.showingCodes }
    return { also, isCode: true, isOptional: forms.areCodesStored ? undefined : true }
  }
  const filters = matchFilters('messages', result)
  return { also: { type: 'messages', filters, formats: forms.showingResults } }
}

/** Empty for several messages: those are searched in the payload. */
function toMessageColumn({ type, payload }: Pick<EventReport, 'type' | 'payload'>): string | null {
  const [first = null, second] = listMessageIds(type, payload)
  return second === undefined ? first : ''
}

/** The `excludeMessages` filters that match an event. Only new messages are filtered; other events match no filter. */
export function matchFilters(type: EventName, payload: Record<string, unknown>): MessageFilter[] {
  const message = (payload as Partial<MessagesPayload>).message
  if (type !== 'messages' || !message) return []
  return [
    message.wasSentByApi ? 'wasSentByApi' : 'wasNotSentByApi',
    message.fromMe ? 'fromMeYes' : 'fromMeNo',
    message.isGroup ? 'isGroupYes' : 'isGroupNo',
  ]
}
