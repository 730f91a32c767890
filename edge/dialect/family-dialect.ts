// The dialects of the API family: one accepts its requests, the other one also responds and delivers in its form.

import type { Statement } from '../../shared/db/prepared-queries.ts'
import type { EventReport, ReceivedReport } from '../../shared/wire/host-reports.ts'
import type { EnvelopeSource } from '../delivery/envelope.ts'
import { type Env, readPublicOrigin } from '../env.ts'
import type { RequestContext } from '../runtime.ts'
import { ContractDialect } from './contract-dialect.ts'
import type { AddressSource, DialectStore, Serve } from './dialect.ts'
import { familyApp, tolerantApp } from './family-app.ts'
import { convertBody } from './family-bodies.ts'
import { formatFamilyAddress, formatFamilyEnvelope } from './family-envelopes.ts'
import {
  convertResponse,
  moveTokensToHeaders,
  requestsContract,
  requestWhole,
  routeRequest,
} from './family-requests.ts'
import { buildTokenWrites, readToken } from './sealed-tokens.ts'

type Bytes = Uint8Array<ArrayBuffer>
type DialectEnv = Omit<Env, 'dialect'>

/** `COMPATIBILITY=tolerant`: requests of the family are accepted too. Responses and events stay those of the contract. */
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

/** `COMPATIBILITY=uazapi`: requests, responses and events have the form of the family. */
export class FamilyDialect extends TolerantDialect {
  override readonly allowsUrlOptions = true

  override async serveRequest(
    original: Request,
    context: RequestContext,
    serveContract: Serve,
  ): Promise<Response> {
    const moved = moveTokensToHeaders(original)
    if (requestsContract(moved.headers)) return serveContract(moved)
    const request = requestWhole(moved)
    const response = await routeRequest(familyApp, request, this.env, context, serveContract)
    return convertResponse(request, response)
  }

  override requestsContract(headers: Headers): boolean {
    return requestsContract(headers)
  }

  override async formatEnvelope(
    store: DialectStore,
    event: EnvelopeSource,
    instanceName: string,
  ): Promise<Bytes> {
    const token = await readToken(this.env, store, event.instanceId)
    const baseUrl = readPublicOrigin(this.env) ?? this.env.LISTENS_AT ?? ''
    return formatFamilyEnvelope(event, instanceName, { baseUrl, token })
  }

  override formatAddress(
    subscription: AddressSource,
    event: Pick<EnvelopeSource, 'type' | 'payload'>,
  ): string {
    return formatFamilyAddress(subscription, event)
  }

  override expandReports(reports: ReceivedReport[]): Promise<ReceivedReport[]> {
    return addEditedMessages(reports)
  }

  override buildTokenWrites(store: DialectStore, instanceId: string, token: string): Promise<Statement[]> {
    return buildTokenWrites(this.env, store, instanceId, token)
  }

  /** None: all are used. */
  override async purgeTokens(_store: DialectStore, _maxRows: number): Promise<number> {
    return 0
  }
}

/** Returns the reports, and after each edit the message that results from it as an event of its own. */
async function addEditedMessages(reports: ReceivedReport[]): Promise<ReceivedReport[]> {
  const expanded = await Promise.all(
    reports.map(async (report) => {
      if (report.t !== 'event' || report.type !== 'messages_edit' || !report.also) return [report]
      return [report, await toMessageReport(report, report.also)]
    }),
  )
  return expanded.flat()
}

async function toMessageReport(
  { also: _, ...edit }: EventReport,
  payload: Record<string, unknown>,
): Promise<EventReport> {
  return { ...edit, id: await deriveId(edit.id), type: 'messages', payload }
}

/** Derived from the edit's id, so that it is the same if the host sends the report again. */
async function deriveId(id: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${id} as a message`)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16)
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
