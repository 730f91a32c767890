// The runtime of the edge: `edge/node/` and `edge/cloudflare/` implement it, and the rest of the edge knows neither.

import type { CreateGcm } from '@msgnet/shared/seal.ts'
import type { ExecutionContext } from 'hono'
import type { CourierObject, LinkObject } from '../objects/objects.ts'
import type { SetDeadline } from './deadlines.ts'
import type { Database } from './query-types.ts'

/** `public`: only addresses that are reachable from everywhere, checked at the connection itself. `allowlisted`: any address. */
export type Reach = 'public' | 'allowlisted'

/** The OpenAPI document: of the contract, or in the words of a form that is named. */
export type DocumentPage = 'openapi.json' | `openapi.${string}.json`

export type PageName =
  | 'console.html'
  | 'link.html'
  | 'portal.html'
  | 'authorize.html'
  | 'docs.json'
  | 'llms.txt'
  | DocumentPage
  | 'tools.json'
  | `console/${string}`
  | `docs/${string}.md`

export interface Runtime {
  /** The one object of this host. `region`: where it should be created, if the runtime has places. */
  getLink(hostId: string, region?: string): LinkObject
  /** The one object of this instance. */
  getCourier(instanceId: string, region?: string): CourierObject
  /** Sends an outbound request. Redirects are never followed. */
  fetch(reach: Reach, url: string, init: RequestInit): Promise<OutboundResponse>
  /**
   * The decoded body of a response that has this `content-encoding`. A platform may have decoded it already. Undefined for one
   * that is not known.
   */
  decodeBody(encoding: string, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> | undefined
  /** The text of a page that `npm run build:pages` made, or of a file that a page loads; undefined if there is none of this name. */
  readPage(name: PageName): Promise<string | undefined>
  /** For one request, or one run of an object, whose time limits `setDeadline` sets. */
  openDatabase(setDeadline: SetDeadline): Database
  readonly cryptography: Cryptography
  /** Absent where the platform compresses responses by itself. */
  compress?(
    bytes: Uint8Array<ArrayBuffer>,
    encoding: Encoding,
    effort: 'quickly' | 'well',
  ): Promise<Uint8Array<ArrayBuffer>>
  /** Passes the connection of a request to the link object of its host, as a WebSocket. */
  acceptLink(context: RequestContext, hostId: string, tokenHash: string): Promise<Response>
}

/** Computed for nearly each request and each message. A runtime may return a value without a promise. */
export interface Cryptography {
  /** SHA-256 as 64 hex digits. */
  digest(data: string | Uint8Array<ArrayBuffer>): string | Promise<string>
  createSigner(key: Uint8Array<ArrayBuffer>): Signer | Promise<Signer>
  createGcm: CreateGcm
}

/** HMAC-SHA-256 in base64. The key cannot be read from it. */
export type Signer = (signed: Uint8Array<ArrayBuffer>) => string | Promise<string>

export type Encoding = 'br' | 'gzip'

/** The part of a Response that is used. Its status may be one that a Response cannot have. */
export interface OutboundResponse {
  status: number
  ok: boolean
  headers: { get(name: string): string | null }
  /** Null if there is none. */
  body: ReadableStream<Uint8Array> | null
  /** Reads its body without a stream, where that costs less. */
  openBody?(): BodyReader
  text(): Promise<string>
}

/** The context of a request in its runtime. */
export interface RequestContext extends ExecutionContext {
  /** The address of the caller's connection, with or without its port; empty if it is not known. */
  readonly peerAddress: string
  /** What the request asks for, as the caller wrote it: the URL of the request is the parser's. On Cloudflare nothing sees it before it is parsed. */
  readonly target: string
  /** Reads the body of this request without its stream, where that costs less. Undefined for a request that was made from it. */
  openBody?(request: Request): BodyReader | undefined
  /** Called when it is known whose request this is, where requests begin in turns. `caller`: an id, or a digest, of theirs alone. */
  confirmCaller?(caller: string): void
}

/** The bytes of a body, piece by piece. */
export interface BodyReader {
  /** A read waits for bytes. */
  readonly locked: boolean
  /** Bytes of its connection since it was opened, with those around its pieces, where that is known. */
  readonly received?: number
  /** The next bytes, which are good until the next call; undefined at the end. Bytes that have arrived are returned without a promise. */
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** Called if nothing more is read here. */
  release(): void
  /** Called if nothing more is read at all: the connection may be closed. */
  cancel(): void
}

/** A host's WebSocket. The WebSocket of the Workers runtime has this shape. */
export interface HostSocket {
  readonly readyState: number
  send(text: string): void
  close(code: number, reason: string): void
  /** At most 2 KiB, which outlive the object's memory. */
  serializeAttachment(value: unknown): void
  deserializeAttachment(): unknown
}

/** `readyState` of a socket that is open. */
export const SOCKET_OPEN = 1

/** The few values of an object that outlive its memory, and its alarm. */
export interface ObjectStorage {
  get<Value>(key: string): Promise<Value | undefined>
  put(key: string, value: unknown): Promise<void>
  deleteAll(): Promise<void>
  getAlarm(): Promise<number | null>
  /** Calls `alarm` of the object at this time, in milliseconds since 1970. There is one alarm: a later call replaces it. */
  setAlarm(at: number): Promise<void>
  deleteAlarm(): Promise<void>
}

/** The part of the runtime that an object uses. A `DurableObjectState` has this shape. */
export interface ObjectState {
  readonly storage: ObjectStorage
  getWebSockets(): HostSocket[]
  /** Work that goes on after the call has returned. */
  waitUntil(work: Promise<unknown>): void
}
