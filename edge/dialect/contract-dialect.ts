// The dialect that changes nothing: requests, responses and events have the form of the contract.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { instanceTokens } from '@msgnet/shared/db/sealed-tables.ts'
import type { ReceivedReport } from '@msgnet/shared/wire/host-reports.ts'
import { sql } from 'drizzle-orm'
import type { RequestContext } from '../runtime/runtime.ts'
import type { AddressSource, Dialect, DialectStore, Serve } from './dialect.ts'
import { type EnvelopeSource, formatEnvelope } from './envelope.ts'

type Bytes = Uint8Array<ArrayBuffer>

export class ContractDialect implements Dialect {
  readonly allowsUrlOptions: boolean = false

  serveRequest(
    request: Request,
    _context: RequestContext,
    serveContract: Serve,
  ): Response | Promise<Response> {
    return serveContract(request)
  }

  requestsContract(_headers: Headers): boolean {
    return true
  }

  convertBody(_path: string, body: unknown): unknown {
    return body
  }

  convertDocument(contract: string): string {
    return contract
  }

  convertToolResult(value: unknown): unknown {
    return value
  }

  formatEnvelope(_store: DialectStore, event: EnvelopeSource, instanceName: string): Bytes | Promise<Bytes> {
    return formatEnvelope(event, instanceName)
  }

  formatAddress({ url }: AddressSource, _event: Pick<EnvelopeSource, 'type' | 'payload'>): string {
    return url
  }

  expandReports(reports: ReceivedReport[]): ReceivedReport[] | Promise<ReceivedReport[]> {
    return reports
  }

  async buildTokenWrites(_store: DialectStore, _instanceId: string, _token: string): Promise<Statement[]> {
    return []
  }

  buildCreationWrites(_store: DialectStore, _instanceId: string, _body: object): Statement[] {
    return []
  }

  /** All of them: they were stored while the operator had chosen another dialect. */
  async purgeTokens(store: DialectStore, maxRows: number): Promise<number> {
    const some = sql`rowid in (select rowid from ${instanceTokens} limit ${maxRows})`
    const { rowsAffected } = await store.db.delete(instanceTokens).where(some)
    return rowsAffected
  }
}
