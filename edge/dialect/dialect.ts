// The form in which callers and receivers use the gateway. This interface is all that the rest of the edge knows of it.

import type { createDrizzle } from '@msgnet/shared/db/drizzle.ts'
import type { webhooks } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { ReceivedReport } from '@msgnet/shared/wire/host-reports.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import type { EnvelopeSource } from './envelope.ts'

export type Serve = (request: Request) => Response | Promise<Response>

/** The part of a store that a dialect uses. */
export interface DialectStore {
  readonly db: ReturnType<typeof createDrizzle>
}

/** The part of a webhook that has the address. */
export type AddressSource = Pick<typeof webhooks.$inferSelect, 'url' | 'addUrlEvents' | 'addUrlTypes'>

export interface Dialect {
  /** Serves every request of callers. `serveContract` is the API of the contract. */
  serveRequest(request: Request, context: RequestContext, serveContract: Serve): Response | Promise<Response>
  /** Whether the request names the form of the contract, whatever the operator has chosen. */
  requestsContract(headers: Headers): boolean
  /** Returns the body of a request to `path` in the form of the contract. It may change the parsed body in place. */
  convertBody(path: string, body: unknown): unknown
  /** Returns the OpenAPI document, as JSON text, in the words of this dialect. */
  convertDocument(contract: string): string
  /** Returns what a tool of `/mcp` returns: its names are those of its schema. */
  convertToolResult(value: unknown): unknown
  /** Whether the body of a webhook may have `addUrlEvents` and `addUrlTypesMessages`. */
  readonly allowsUrlOptions: boolean
  /** Returns the bytes of an event for a receiver or a stream. */
  formatEnvelope(
    store: DialectStore,
    event: EnvelopeSource,
    instanceName: string,
  ): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
  /** Returns the URL that the event is sent to. */
  formatAddress(subscription: AddressSource, event: Pick<EnvelopeSource, 'type' | 'payload'>): string
  /** Returns the reports of a host, with those that the dialect adds. */
  expandReports(reports: ReceivedReport[]): ReceivedReport[] | Promise<ReceivedReport[]>
  /** Returns statements for the write that sets the token of an instance. */
  buildTokenWrites(store: DialectStore, instanceId: string, token: string): Promise<Statement[]>
  /** Returns statements for the write that creates an instance: what only the dialect knows of the body. They follow the instance. */
  buildCreationWrites(store: DialectStore, instanceId: string, body: object): Statement[]
  /** Deletes at most so many stored tokens that the dialect does not use. Returns how many. */
  purgeTokens(store: DialectStore, maxRows: number): Promise<number>
}
