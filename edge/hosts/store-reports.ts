// Writes the reports of a host to the database. A report that the database refuses is set aside and does not hold up others.

import { formatLoggedIds } from '@msgnet/shared/contract/message-ids.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import { truncateToLimits } from '@msgnet/shared/truncation.ts'
import type {
  EventReport,
  InvalidReport,
  ReceivedReport,
  Report,
  StateReport,
} from '@msgnet/shared/wire/host-reports.ts'
import { deriveUuid } from '../dialect/event-format.ts'
import { hasStoredFiles, linkReportedFiles } from '../media/media-links.ts'
import type { Arrival } from '../objects/due-events.ts'
import { count } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import { sealState } from '../sealed/pairings.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { isRefusal } from '../store/database/storage-error.ts'
import {
  type CodeReport,
  type Forms,
  type Ingested,
  ingestDead,
  ingestReports,
} from '../store/events/ingest-reports.ts'
import type { ReportedState } from '../store/state-queries.ts'

/** How many bytes of the payload are stored if a report cannot be stored whole. */
const MAX_STORED_BYTES = { text: 4096, json: 8192 }
const NOT_STORABLE = 'not_storable'
const NOTHING: Ingested & Partial<StoredReports> = { arrivals: [], moved: [], unwanted: [] }

interface ReportContext {
  env: Env
  host: string
  store: Store
}

/** `alongside`: the statements to be written with the reports were written. False if the database refused one of the reports. */
interface StoredReports extends Ingested {
  alongside: boolean
}

/** Throws if the database is not reachable: then nothing may be acknowledged, and the host sends all of it again. */
export async function storeReports(
  context: ReportContext,
  items: ReceivedReport[],
  alongside: Statement[],
): Promise<StoredReports> {
  const { env, store } = context
  const linked = hasStoredFiles(items) ? await linkReportedFiles(env, store, items) : items
  const reports = await addCodeEvents(env, linked)
  const readable = reports.filter((item) => item.t !== 'unreadable')
  const unreadable = reports.filter((item) => item.t === 'unreadable')
  const stored = [readable.length > 0 ? await storeOrSplit(context, readable, alongside) : NOTHING]
  for (const item of unreadable)
    stored.push(await storeAsDead(context, item, new Error('the report does not parse')))
  return { ...mergeIngested(stored), alongside: stored[0]?.alongside ?? false }
}

/** A frame is written whole or not at all. If the database refuses it, it is halved until the bad report is found. */
async function storeOrSplit(
  context: ReportContext,
  reports: Report[],
  alongside: Statement[] = [],
): Promise<Ingested & Partial<StoredReports>> {
  try {
    const seal = (state: ReportedState) => sealState(context.env, state)
    const ingested = await ingestReports(context.store, context.host, reports, {
      sealState: seal,
      alongside,
      forms: findForms(context.env),
    })
    logEvents(context, reports, ingested)
    return { ...ingested, alongside: true }
  } catch (error) {
    // RangeError: it is nested too deep to be written as JSON.
    if (!isRefusal(error) && !(error instanceof RangeError)) throw error
    const [first] = reports
    if (reports.length === 1 && first) return storeAsDead(context, first, error)
    const middle = Math.ceil(reports.length / 2)
    return mergeIngested([
      await storeOrSplit(context, reports.slice(0, middle)),
      await storeOrSplit(context, reports.slice(middle)),
    ])
  }
}

/** With an event for each new QR code or pairing code, if a form that the gateway serves has such events. */
const addCodeEvents = async (
  { dialects }: Env,
  reports: ReceivedReport[],
): Promise<(ReceivedReport | CodeReport)[]> =>
  dialects.listFormats('showsCodes').length === 0
    ? reports
    : (
        await Promise.all(
          reports.map(async (report) => (hasCode(report) ? [report, await toCodeReport(report)] : [report])),
        )
      ).flat()

function hasCode(report: ReceivedReport): report is StateReport {
  const pairing = report.t === 'state' ? report.state.pairing : null
  return Boolean(pairing?.method === 'qr' ? pairing.qrcode : pairing?.code)
}

/** Derived from the report, so that it is the same if the host sends the report again. The code itself is read when the event is sent. */
async function toCodeReport({ n, instance, epoch, state }: StateReport): Promise<CodeReport> {
  const { status, lastDisconnectReason, jid, rev } = state
  return {
    t: 'event',
    n,
    instance,
    epoch,
    id: await deriveUuid(`${instance} ${epoch} ${rev} as an event`),
    type: 'connection',
    owner: extractPhone(jid),
    at: Date.now(),
    payload: { status, lastDisconnectReason },
    isCode: true,
  }
}

const findForms = ({ dialects }: Env): Forms => ({
  showingCodes: dialects.listFormats('showsCodes'),
  showingResults: dialects.listFormats('showsResults'),
  // Streams of the root have no row that says what they want.
  areCodesStored: dialects.rootFormat.showsCodes,
})

const listDue = ({ batch }: Arrival): string[] =>
  batch?.events
    .filter(({ wanted }) => batch.webhooks.some(({ position }) => (wanted >> position) & 1))
    .map(({ id }) => id) ?? []

/** `due`: it waits for its first attempt; else there is no receiver for it, or it was stored before. */
function logEvents({ env, host }: ReportContext, reports: Report[], { arrivals, moved }: Ingested): void {
  const due = new Set(arrivals.flatMap(listDue))
  for (const report of reports) {
    if (report.t !== 'event' || moved.includes(report.instance)) continue
    const { instance, id: event, type, payload } = report
    const facts = { host, instance, event, type, ...formatLoggedIds(type, payload), due: due.has(event) }
    log(env, 'info', 'event', facts)
  }
}

/** Stores it as a dead event with as much of its payload as the database accepts. A state is dropped: the next one replaces it. */
async function storeAsDead(
  context: ReportContext,
  report: Report | InvalidReport,
  error: unknown,
): Promise<Ingested> {
  const { env, host, store } = context
  const { instance, n, t } = report
  const event = toDeadEvent(report)
  const ids = report.t === 'event' ? formatLoggedIds(report.type, report.payload) : {}
  const facts = { host, instance, n, kind: t, event: event?.id, type: event?.type, ...ids, error }
  log(env, 'error', 'report set aside', facts)
  count('edge_refused_reports_total', { kind: t })
  if (!event) return NOTHING
  try {
    const { value } = truncateToLimits(report.t === 'event' ? report.payload : {}, MAX_STORED_BYTES)
    return await ingestDead(store, host, { ...event, payload: { ...value, truncated: true } }, NOT_STORABLE)
  } catch (refusal) {
    if (!isRefusal(refusal) && !(refusal instanceof RangeError)) throw refusal
    // If this is refused too, the fault is the database's and is thrown as such.
    return ingestDead(store, host, { ...event, payload: { truncated: true } }, NOT_STORABLE)
  }
}

function toDeadEvent(
  report: Report | InvalidReport,
): Omit<EventReport, 't' | 'n' | 'payload' | 'also'> | undefined {
  if (report.t === 'state') return undefined
  const { id, instance, epoch, type, owner, at } = report
  return id && instance && type ? { id, instance, epoch, type, owner, at } : undefined
}

const mergeIngested = (all: Ingested[]): Ingested => ({
  arrivals: all.flatMap(({ arrivals }) => arrivals),
  moved: [...new Set(all.flatMap(({ moved }) => moved))],
  unwanted: all.flatMap(({ unwanted }) => unwanted),
})
