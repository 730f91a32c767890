// Sends a request of the client, again where that is safe. The result is a value, a GatewayError, or a GatewayUnreachable.

import { type GatewayError, GatewayUnreachable, toGatewayError } from './errors.ts'
import { Attempts, type Repeats, type WaitSeconds, waitSeconds } from './repeats.ts'
import { createTimeLimit } from './time-limit.ts'
import { loadWebCrypto } from './web-crypto.ts'

export interface Connect {
  /** The URL of the gateway, for example `https://gateway.example.com`. */
  baseUrl: string
  /** Milliseconds until a request is aborted. It must be longer than the gateway itself waits for the network. */
  timeoutMs?: number
  /** Another `fetch`, for proxies and tests. */
  fetch?: typeof globalThis.fetch
  /** How long a call goes on before it throws. `false`: every request is sent once, and a stream is not opened again. */
  repeats?: Repeats | false
  /** Another clock for the pauses between requests, for tests. */
  wait?: WaitSeconds
}

export interface Options {
  /** Names this request in the gateway's log. */
  requestId?: string
  /** Seconds, 1 to 45, to wait for the network. After that the outcome is unknown, and the action goes on. */
  waitSeconds?: number
  /** Aborts the request. It may still have its effect. */
  signal?: AbortSignal
}

export interface Repeatable extends Options {
  /**
   * The same key, path and body have one effect, however often they are sent. Without it every call gets a new key. Use
   * your own to be safe across restarts of your program.
   */
  idempotencyKey?: string
}

/** Lines of JSON as they are sent, from a file or the memory, or as a function that opens a stream of them: once for each time that they are sent. */
export type Lines = string | Blob | Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>)

export interface RequestInput {
  body?: object
  /** In place of `body`. */
  lines?: Lines
  query?: Record<string, unknown>
  options?: Repeatable | undefined
  /** It must not happen twice, so it is sent with a key. */
  once?: true
  /** It changes nothing, so that it can be repeated without a key. */
  reads?: true
}

export type SendRequest = <Answer>(method: string, path: string, input?: RequestInput) => Promise<Answer>

/** Asks for the contract's own words, even if the operator has chosen others. */
const CONTRACT_JSON = 'application/json;profile=contract'

const DEFAULT_TIMEOUT_MS = 120_000

/** A token must not follow a redirect to another place. */
export const redirect = 'manual'

export function createRequestSender(connect: Connect, credential: Record<string, string>): SendRequest {
  const { repeats = {}, wait = waitSeconds } = connect
  return async <Answer>(method: string, path: string, input: RequestInput = {}) => {
    const { options, once, reads, query } = input
    const idempotencyKey = once && (options?.idempotencyKey ?? (await createIdempotencyKey()))
    const request: PreparedRequest = {
      method,
      path: path + formatQuery(query),
      // Every repeat has the same key and the same bytes.
      init: prepareInit(input, credential, idempotencyKey),
      idempotencyKey,
      signal: options?.signal,
    }
    const attempts = new Attempts(repeats, { isKeyed: once === true, isReading: reads === true })
    for (;;) {
      const result = await sendOnce<Answer>(connect, request)
      if ('answer' in result) return result.answer
      const pause = request.signal?.aborted ? undefined : attempts.findNextPause(result.error)
      if (pause !== undefined) await wait(pause, request.signal)
      if (pause === undefined || request.signal?.aborted) throw result.error
    }
  }
}

interface PreparedRequest {
  method: string
  /** With its query. */
  path: string
  init: { headers: Record<string, string>; body?: Lines }
  idempotencyKey: string | undefined
  signal: AbortSignal | undefined
}

function prepareInit(
  { body, lines, options }: RequestInput,
  credential: Record<string, string>,
  idempotencyKey: string | undefined,
): PreparedRequest['init'] {
  const headers = {
    ...credential,
    accept: CONTRACT_JSON,
    ...(body && { 'content-type': 'application/json' }),
    ...(lines !== undefined && { 'content-type': 'application/x-ndjson' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(options?.waitSeconds !== undefined && { prefer: `wait=${options.waitSeconds}` }),
    ...(options?.requestId !== undefined && { 'x-request-id': options.requestId }),
  }
  const content = lines ?? (body && JSON.stringify(body))
  return { headers, ...(content !== undefined && { body: content }) }
}

async function sendOnce<Answer>(
  { baseUrl, timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch }: Connect,
  { method, path, init, idempotencyKey, signal }: PreparedRequest,
): Promise<{ answer: Answer } | { error: GatewayError | GatewayUnreachable }> {
  const timeLimit = createTimeLimit(timeoutMs, signal)
  try {
    const url = baseUrl.replace(/\/+$/, '') + path
    const response = await fetch(url, { method, signal: timeLimit.signal, redirect, ...openBody(init) })
    const text = await response.text()
    if (!response.ok) return { error: toGatewayError(response, text, idempotencyKey) }
    // A success that is no JSON is none of the gateway.
    return { answer: JSON.parse(text) as Answer }
  } catch (cause) {
    const route = `${method} ${path.replace(/\?.*/, '')}`
    return { error: new GatewayUnreachable(`${route} had no response`, { cause, idempotencyKey }) }
  } finally {
    timeLimit.end()
  }
}

/** A stream is sent while its answer may come already, which `fetch` wants to be told. */
function openBody({ headers, body }: PreparedRequest['init']): RequestInit {
  if (typeof body !== 'function') return { headers, ...(body !== undefined && { body }) }
  return { headers, body: body(), duplex: 'half' } as RequestInit
}

async function createIdempotencyKey(): Promise<string> {
  const bytes = (await loadWebCrypto()).getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function formatQuery(query: RequestInput['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.toString() && `?${parameters}`
}
