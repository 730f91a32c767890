// Writes the reports of a host to the database. A report that the database refuses is set aside and does not hold up others.

import { bounded } from '../../shared/bounds.ts'
import { toLoggedIds } from '../../shared/contract/message-ids.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { EventReport, Report, ReportTaken, Unreadable } from '../../shared/wire/reports.ts'
import type { Env } from '../env.ts'
import { withEdits } from '../family/reports.ts'
import { log, reasonOf } from '../log.ts'
import { count } from '../metrics.ts'
import { sealState } from '../pairings.ts'
import type { Store } from '../store/database/database.ts'
import { isRefusal } from '../store/database/storage-error.ts'
import { type Ingested, ingest, ingestDead } from '../store/events/ingestion.ts'
import type { StateOf } from '../store/states.ts'

/** How much of the payload is kept, in bytes, if a report cannot be stored. */
const KEPT = { text: 4096, json: 8192 }
const NOT_STORABLE = 'not_storable'
const NOTHING: Ingested & Partial<Taken> = { arrivals: [], moved: [] }

interface ReportContext {
  env: Env
  host: string
  store: Store
}

/** `alongside`: the statements to be written with the reports were written. False if the database refused one of the reports. */
interface Taken extends Ingested {
  alongside: boolean
}

/** Throws if the database is not reachable: then nothing may be acknowledged, and the host sends all of it again. */
export async function takeReports(
  context: ReportContext,
  items: ReportTaken[],
  alongside: Statement[],
): Promise<Taken> {
  const reports = await withEdits(context.env, items)
  const readable = reports.filter((item) => item.t !== 'unreadable')
  const unreadable = reports.filter((item) => item.t === 'unreadable')
  const taken = [readable.length > 0 ? await take(context, readable, alongside) : NOTHING]
  for (const item of unreadable) taken.push(await putAway(context, item, 'it does not parse'))
  return { ...merged(taken), alongside: taken[0]?.alongside ?? false }
}

/** A frame is written whole or not at all. If the database refuses it, it is halved until the bad report is found. */
async function take(
  context: ReportContext,
  reports: Report[],
  alongside: Statement[] = [],
): Promise<Ingested & Partial<Taken>> {
  try {
    const seal = (state: StateOf) => sealState(context.env, state)
    const ingested = await ingest(context.store, context.host, reports, { seal, alongside })
    logEvents(context, reports, ingested)
    return { ...ingested, alongside: true }
  } catch (error) {
    // RangeError: it is nested too deep to be written as JSON.
    if (!isRefusal(error) && !(error instanceof RangeError)) throw error
    const [first] = reports
    if (reports.length === 1 && first) return putAway(context, first, reasonOf(error))
    const middle = Math.ceil(reports.length / 2)
    return merged([await take(context, reports.slice(0, middle)), await take(context, reports.slice(middle))])
  }
}

/** `due`: it waits for its first attempt; else there is no receiver for it, or it was stored before. */
function logEvents({ env, host }: ReportContext, reports: Report[], { arrivals, moved }: Ingested): void {
  const due = new Set(arrivals.flatMap(({ handed }) => handed?.events.map(({ id }) => id) ?? []))
  for (const report of reports) {
    if (report.t !== 'event' || moved.includes(report.instance)) continue
    const { instance, id: event, type, payload } = report
    const facts = { host, instance, event, type, ...toLoggedIds(type, payload), due: due.has(event) }
    log(env, 'info', 'event', facts)
  }
}

/** Stores it as a dead event with as much of its payload as the database takes. A state is dropped: the next one replaces it. */
async function putAway(
  context: ReportContext,
  report: Report | Unreadable,
  reason: string,
): Promise<Ingested> {
  const { env, host, store } = context
  const { instance, n, t } = report
  const event = deadEvent(report)
  const ids = report.t === 'event' ? toLoggedIds(report.type, report.payload) : {}
  const facts = { host, instance, n, kind: t, event: event?.id, type: event?.type, ...ids, reason }
  log(env, 'error', 'report set aside', facts)
  count('edge_refused_reports_total', { kind: t })
  if (!event) return NOTHING
  try {
    const { value } = bounded(report.t === 'event' ? report.payload : {}, KEPT)
    return await ingestDead(store, host, { ...event, payload: { ...value, truncated: true } }, NOT_STORABLE)
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof RangeError)) throw error
    // If this is refused too, the fault is the database's and is thrown as such.
    return ingestDead(store, host, { ...event, payload: { truncated: true } }, NOT_STORABLE)
  }
}

function deadEvent(report: Report | Unreadable): Omit<EventReport, 't' | 'n' | 'payload'> | undefined {
  if (report.t === 'state') return undefined
  const { id, instance, epoch, type, owner, at } = report
  return id && instance && type ? { id, instance, epoch, type, owner, at } : undefined
}

const merged = (all: Ingested[]): Ingested => ({
  arrivals: all.flatMap(({ arrivals }) => arrivals),
  moved: [...new Set(all.flatMap(({ moved }) => moved))],
})
