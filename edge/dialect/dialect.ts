// The forms in which callers use the gateway: that of its root, and others below prefixes. These interfaces are all that the rest of the edge knows of them.

import type { DialectName, StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { DocumentPage, RequestContext } from '../runtime/runtime.ts'
import type { DialectStore, EventFormat } from './event-format.ts'

/** Serves a request by the API of the contract. `env`: with another `dialect` than that of the root; `context`: of a request that was made from the caller's. */
export type Serve = (request: Request, env?: object, context?: RequestContext) => Response | Promise<Response>

/** A form of the API below a prefix of its own, beside the contract. */
export interface Dialect {
  readonly name: DialectName
  /** `/` and a word. */
  readonly prefix: string
  /** In which webhooks may get their events. */
  readonly format: EventFormat
  /** Whether it stores tokens of instances, sealed, for its callers. */
  readonly storesTokens: boolean
  /** Serves a request whose path has begun with the prefix, which is removed. */
  serveBelow(request: Request, context: RequestContext, serveContract: Serve): Response | Promise<Response>
}

/** How the API of the contract reads requests and writes responses. `env.dialect` of a request. */
export interface RequestForm {
  /** The form of streams, of shown events, and of webhooks that name no other. */
  readonly format: EventFormat
  /** The format of a webhook that this caller adds and whose body names none. */
  readonly ownFormat: StoredFormat
  readonly storesTokens: boolean
  /** Whether buttons and lists go as texts that are answered by number, while the server sends none. */
  readonly sendsMenusAsText: boolean
  /** Serves every request of callers at the root. `serveContract` is the API of the contract. */
  serveRequest(request: Request, context: RequestContext, serveContract: Serve): Response | Promise<Response>
  /** Whether the request names the form of the contract, whatever the operator has chosen. */
  requestsContract(headers: Headers): boolean
  /** Returns the body of a request to `path` in the form of the contract. It may change the parsed body in place. */
  convertBody(path: string, body: unknown): unknown
  /** The page with the OpenAPI document in the words of this form. */
  readonly documentPage: DocumentPage
  /** Returns what a tool of `/mcp` returns: its names are those of its schema. */
  convertToolResult(value: unknown): unknown
  /** Whether it adds no webhook with the URL of another one of its format. */
  readonly addsUrlsOnce: boolean
  /** Whether the body of a webhook may have `addUrlEvents` and `addUrlTypesMessages`. */
  readonly allowsUrlOptions: boolean
  /** Returns what only its own format reads of the body of a webhook. Undefined leaves what it has. */
  readFormatOptions(body: object): Record<string, unknown> | undefined
  /** Returns the token of an instance that is being created. */
  createInstanceToken(): string
  /** Returns statements for the write that sets the token of an instance. */
  buildTokenWrites(store: DialectStore, instanceId: string, token: string): Promise<Statement[]>
  /** Returns statements for the write that creates an instance: what only the dialect knows of the body. They follow the instance. */
  buildCreationWrites(store: DialectStore, instanceId: string, body: object): Promise<Statement[]>
}
