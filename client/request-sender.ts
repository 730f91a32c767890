// Sends one request of the client. The result is a value, a GatewayError, or a GatewayUnreachable.

import { GatewayError, GatewayUnreachable } from './errors.ts'
import { loadWebCrypto } from './web-crypto.ts'

export interface Connect {
  /** The URL of the gateway, for example `https://gateway.example.com`. */
  baseUrl: string
  /** Milliseconds until a request is aborted. It must be longer than the gateway itself waits for the network. */
  timeoutMs?: number
  /** Another `fetch`, for proxies and tests. */
  fetch?: typeof globalThis.fetch
}

export interface Options {
  /** Names this request in the gateway's log. */
  requestId?: string
  /** Seconds, 1 to 45, to wait for the network. After that the answer is `outcome_unknown`, and the action goes on. */
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

export interface RequestInput {
  body?: object
  query?: Record<string, unknown>
  options?: Repeatable | undefined
  /** It must not happen twice, so it is sent with a key. */
  once?: true
}

export type SendRequest = <Answer>(method: string, path: string, input?: RequestInput) => Promise<Answer>

/** Asks for the contract's own words, even if the operator has chosen others. */
const CONTRACT_JSON = 'application/json;profile=contract'

const DEFAULT_TIMEOUT_MS = 120_000

export function createRequestSender(connect: Connect, credential: Record<string, string>): SendRequest {
  const { baseUrl, timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch } = connect
  const base = baseUrl.replace(/\/+$/, '')
  return async <Answer>(method: string, path: string, input: RequestInput = {}) => {
    const { body, options, once } = input
    const idempotencyKey = once && (options?.idempotencyKey ?? (await createIdempotencyKey()))
    const headers: Record<string, string> = {
      ...credential,
      accept: CONTRACT_JSON,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(options?.waitSeconds !== undefined && { prefer: `wait=${options.waitSeconds}` }),
      ...(options?.requestId !== undefined && { 'x-request-id': options.requestId }),
    }
    const timeLimit = createTimeLimit(timeoutMs, options?.signal)
    try {
      const response = await fetch(base + path + formatQuery(input.query), {
        method,
        headers,
        signal: timeLimit.signal,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw GatewayError.fromResponse(response, text, idempotencyKey)
      return JSON.parse(text) as Answer
    } catch (error) {
      if (error instanceof GatewayError) throw error
      throw new GatewayUnreachable(`${method} ${path} had no response`, { cause: error, idempotencyKey })
    } finally {
      timeLimit.end()
    }
  }
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

/** A time limit; its timer is stopped when the request ends. */
function createTimeLimit(ms: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(new Error(`no response within ${ms} ms`)), ms)
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
