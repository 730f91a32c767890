// What the edge needs of the program that runs it: `edge/node/` and `edge/cloudflare/` implement it, and nothing else knows either.

import type { ExecutionContext } from 'hono'
import type { After } from './deadlines.ts'
import type { CourierObject, LinkObject } from './objects.ts'
import type { Database } from './store/database/statements.ts'

/** `public`: only addresses that are reachable from everywhere, checked at the connection itself. `allowlisted`: any address. */
export type Reach = 'public' | 'allowlisted'

export interface Runtime {
  /** The one object of this host. `region`: where it should be created, if the runtime has places. */
  link(hostId: string, region?: string): LinkObject
  /** The one object of this instance. */
  courier(instanceId: string, region?: string): CourierObject
  /** Sends a request outward. Redirects are never followed. */
  fetch(reach: Reach, url: string, init: RequestInit): Promise<OutwardAnswer>
  /** For one request, or one run of an object, whose time limits `after` sets. */
  openDatabase(after: After): Database
  /** Hands the connection of a request over to the link object of its host, as a WebSocket. */
  acceptLink(context: RequestContext, hostId: string, tokenHash: string): Promise<Response>
}

/** The part of a Response that is used. Its status may be one that a Response cannot have. */
export interface OutwardAnswer {
  status: number
  ok: boolean
  headers: { get(name: string): string | null }
  /** Null if there is none. */
  body: ReadableStream<Uint8Array> | null
  text(): Promise<string>
}

/** What a request has beside itself. */
export interface RequestContext extends ExecutionContext {
  /** The address of the caller's connection, with or without its port; empty if it is not known. */
  readonly peer: string
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

/** What an object has of its runtime. A `DurableObjectState` has this shape. */
export interface ObjectState {
  readonly storage: ObjectStorage
  getWebSockets(): HostSocket[]
  /** Work that goes on after the call has returned. */
  waitUntil(work: Promise<unknown>): void
}
