// The dialects of uazapi: one accepts its requests, the other one also responds and delivers in its form.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { EventReport, ReceivedReport, StateReport } from '@msgnet/shared/wire/host-reports.ts'
import { ContractDialect } from '../dialect/contract-dialect.ts'
import type { AddressSource, DialectStore, Serve } from '../dialect/dialect.ts'
import type { EnvelopeSource } from '../dialect/envelope.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import { readPairing } from '../sealed/pairings.ts'
import { type Env, readPublicOrigin } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { addInstanceFields, buildFieldWrites } from './instance-fields.ts'
import { buildTokenWrites, readToken } from './sealed-tokens.ts'
import { tolerantApp, uazapiApp } from './uazapi-app.ts'
import { convertBody } from './uazapi-bodies.ts'
import { toUazapiDocument } from './uazapi-document.ts'
import { formatUazapiAddress, formatUazapiEnvelope } from './uazapi-envelopes.ts'
import {
  convertResponse,
  moveTokensToHeaders,
  requestsContract,
  requestWhole,
  routeRequest,
} from './uazapi-requests.ts'
import { convertEndings } from './uazapi-spelling.ts'

type Bytes = Uint8Array<ArrayBuffer>
type DialectEnv = Omit<Env, 'dialect'>

/** `COMPATIBILITY=tolerant`: requests of uazapi are accepted too. Responses and events stay those of the contract. */
export class TolerantDialect extends ContractDialect {
  protected readonly env: Env

  constructor(env: DialectEnv) {
    super()
    this.env = { ...env, dialect: this }
  }

  override serveRequest(
    request: Request,
    context: RequestContext,
    serveContract: Serve,
  ): Response | Promise<Response> {
    return routeRequest(tolerantApp, request, this.env, context, serveContract)
  }

  override convertBody(path: string, body: unknown): unknown {
    return convertBody(path, body)
  }
}

/** `COMPATIBILITY=uazapi`: requests, responses and events have the form of uazapi. */
export class UazapiDialect extends TolerantDialect {
  override readonly allowsUrlOptions = true

  override async serveRequest(
    original: Request,
    context: RequestContext,
    serveContract: Serve,
  ): Promise<Response> {
    const moved = moveTokensToHeaders(original)
    if (requestsContract(moved.headers)) return serveContract(moved)
    const request = requestWhole(moved)
    const response = await routeRequest(uazapiApp, request, this.env, context, serveContract)
    return convertResponse(request, response, (body) => addInstanceFields(openStore(this.env), body))
  }

  override convertBody(path: string, body: unknown): unknown {
    const { url } = (body ?? {}) as { url?: unknown }
    const converted = convertBody(path, body) as Record<string, unknown>
    // Without an id the URL says which webhook is deleted.
    const isNameless = path === '/webhook' && converted?.action === 'delete' && !converted.id
    return isNameless && typeof url === 'string' ? { ...converted, url } : converted
  }

  override requestsContract(headers: Headers): boolean {
    return requestsContract(headers)
  }

  override convertDocument(contract: string): string {
    return JSON.stringify(toUazapiDocument(JSON.parse(contract)))
  }

  override convertToolResult(value: unknown): unknown {
    return convertEndings(value)
  }

  override async formatEnvelope(
    store: DialectStore,
    event: EnvelopeSource,
    instanceName: string,
  ): Promise<Bytes> {
    const token = await readToken(this.env, store, event.instanceId)
    const baseUrl = readPublicOrigin(this.env) ?? this.env.LISTENS_AT ?? ''
    // Read at each attempt: a code of the first one would have ended.
    const pairing = isBeingLinked(event) ? await readPairing(this.env, store, event.instanceId) : undefined
    return formatUazapiEnvelope(event, instanceName, { baseUrl, token, pairing })
  }

  override formatAddress(
    subscription: AddressSource,
    event: Pick<EnvelopeSource, 'type' | 'payload'>,
  ): string {
    return formatUazapiAddress(subscription, event)
  }

  override expandReports(reports: ReceivedReport[]): Promise<ReceivedReport[]> {
    return addUazapiEvents(reports)
  }

  override buildTokenWrites(store: DialectStore, instanceId: string, token: string): Promise<Statement[]> {
    return buildTokenWrites(this.env, store, instanceId, token)
  }

  override buildCreationWrites(store: DialectStore, instanceId: string, body: object): Statement[] {
    return buildFieldWrites(store, instanceId, body)
  }

  /** None: all are used. */
  override async purgeTokens(_store: DialectStore, _maxRows: number): Promise<number> {
    return 0
  }
}

const isBeingLinked = ({ type, payload }: EnvelopeSource): boolean =>
  type === 'connection' && payload.status === 'connecting'

/**
 * Returns the reports, and what uazapi has as events of their own: after an edit the message that results from it, after a
 * vote its message, and after a state with a new QR code or pairing code a change of the connection.
 */
async function addUazapiEvents(reports: ReceivedReport[]): Promise<ReceivedReport[]> {
  const expanded = await Promise.all(
    reports.map(async (report) => {
      if (report.t === 'state' && hasCode(report.state)) return [report, await toConnectionReport(report)]
      if (report.t === 'event' && report.also) return [report, await toMessageReport(report, report.also)]
      return [report]
    }),
  )
  return expanded.flat()
}

const hasCode = ({ pairing }: StateReport['state']): boolean =>
  Boolean(pairing?.method === 'qr' ? pairing.qrcode : pairing?.code)

/** The code itself is not stored with the event: it is read when the event is sent. */
async function toConnectionReport({ n, instance, epoch, state }: StateReport): Promise<EventReport> {
  const { status, lastDisconnectReason, jid, rev } = state
  return {
    t: 'event',
    n,
    instance,
    epoch,
    id: await deriveId(`${instance} ${epoch} ${rev} as an event`),
    type: 'connection',
    owner: extractPhone(jid),
    at: Date.now(),
    payload: { status, lastDisconnectReason },
  }
}

async function toMessageReport(
  { also: _, ...edit }: EventReport,
  payload: Record<string, unknown>,
): Promise<EventReport> {
  return { ...edit, id: await deriveId(`${edit.id} as a message`), type: 'messages', payload }
}

/** Derived from the report, so that it is the same if the host sends the report again. */
async function deriveId(source: string): Promise<string> {
  const bytes = new TextEncoder().encode(source)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16)
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
