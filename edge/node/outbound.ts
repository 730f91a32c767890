// Outbound requests. For `public`, an address is checked after its name was resolved, and the connection goes to that very address.

import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { isGlobalAddress } from '@msgnet/shared/addresses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { resolveName } from '@msgnet/shared/node/resolve-name.ts'
import type { BodyReader, OutboundResponse, Reach } from '../runtime/runtime.ts'
import { IncomingBody } from './incoming-body.ts'

/** Shorter than the five seconds after which many servers close an idle connection. */
const IDLE_TIMEOUT = 4 * SECOND
const MAX_IDLE_SOCKETS = 256
/** Servers send one, or none. */
const MAX_PROVISIONAL_RESPONSES = 16
/** A receiver's headers; larger ones break the connection. */
const MAX_HEADER_BYTES = 32 * 1024

class NotPublicError extends Error {}

const isPublic = (address: string, family: number): boolean =>
  isGlobalAddress(family === 6 ? `[${address}]` : address) === true

/** Answers only the addresses that are public; a name without one cannot be reached. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolveName(hostname).then(
    (found) => {
      const usable = found.filter(({ address, family }) => isPublic(address, family))
      const [first] = usable
      if (!first) callback(new NotPublicError('the address is not public'), '', 0)
      else if (options.all) callback(null, usable)
      else callback(null, first.address, first.family)
    },
    (error) => callback(error, '', 0),
  )
}

const agentOptions = {
  keepAlive: true,
  timeout: IDLE_TIMEOUT,
  maxFreeSockets: MAX_IDLE_SOCKETS,
  scheduling: 'lifo',
} as const

const agents: Record<Reach, { plain: HttpAgent; secure: HttpsAgent }> = {
  public: {
    plain: new HttpAgent({ ...agentOptions, lookup: lookupPublic }),
    secure: new HttpsAgent({ ...agentOptions, lookup: lookupPublic }),
  },
  allowlisted: { plain: new HttpAgent(agentOptions), secure: new HttpsAgent(agentOptions) },
}

/** Closes idle connections, which are open for the next request. */
export function closeIdleConnections(): void {
  for (const { plain, secure } of Object.values(agents)) {
    plain.destroy()
    secure.destroy()
  }
}

/** `mayRetry`: a request on a connection that the server closes without a response is sent again, as it may have been closed before. */
export async function fetchOutbound(
  reach: Reach,
  url: string,
  init: RequestInit,
  { mayRetry = true }: { mayRetry?: boolean } = {},
): Promise<OutboundResponse> {
  init.signal?.throwIfAborted()
  const target = new URL(url)
  const host = stripBrackets(target.hostname)
  // A literal address is not looked up.
  if (reach === 'public' && isIP(host) && !isPublic(host, isIP(host)))
    throw new NotPublicError('the address is not public')
  return new NodeResponse(await sendRequest(target, reach, init, mayRetry))
}

/** A URL has an IPv6 address in brackets. */
const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Its body becomes a stream only where one is read. */
class NodeResponse implements OutboundResponse {
  readonly #message: IncomingMessage
  readonly status: number
  readonly headers: OutboundResponse['headers']

  constructor(message: IncomingMessage) {
    this.#message = message
    this.status = message.statusCode ?? 0
    this.headers = {
      get(name) {
        const value = message.headers[name] ?? null
        return Array.isArray(value) ? value.join() : value
      },
    }
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get body(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.#message) as unknown as ReadableStream<Uint8Array>
  }

  openBody(): BodyReader {
    return new IncomingBody(this.#message)
  }

  async text(): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of this.#message) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
}

function sendRequest(
  target: URL,
  reach: Reach,
  init: RequestInit,
  mayRetry: boolean,
): Promise<IncomingMessage> {
  const isSecure = target.protocol === 'https:'
  const { plain, secure } = agents[reach]
  const body = toBytes(init.body)
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    hostname: stripBrackets(target.hostname),
    port: target.port,
    path: target.pathname + target.search,
    // A list is written as it is; an object would first be stored, header by header.
    headers: listHeaders(target, init.headers as Record<string, string>, body),
    agent: isSecure ? secure : plain,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? secureRequest : plainRequest)(options, resolve)
    // This costs less than Node's own `signal`, which is watched as long as the request lives.
    init.signal?.addEventListener('abort', () => request.destroy(), { once: true })
    let provisional = 0
    // Nothing else stops those that come without end, and they leave no time for others.
    request.on('information', () => {
      if (++provisional > MAX_PROVISIONAL_RESPONSES) request.destroy(new Error('the connection was closed'))
    })
    // No other protocol is supported.
    request.once('upgrade', (message, socket) => {
      socket.destroy()
      resolve(message)
    })
    request.once('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && mayRetry
      if (isStale && !init.signal?.aborted) sendRequest(target, reach, init, false).then(resolve, reject)
      else
        reject(isConnectionClosed(error) ? new Error('the connection was closed', { cause: error }) : error)
    })
    request.end(body)
  })
}

const isConnectionClosed = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  ['ECONNRESET', 'EPIPE'].includes(code)

/** Outbound bodies are texts or bytes. */
const toBytes = (body: RequestInit['body']): string | Uint8Array | undefined =>
  body instanceof ArrayBuffer
    ? new Uint8Array(body)
    : ((body ?? undefined) as string | Uint8Array | undefined)

/** With its length a body is not sent in chunks, which some receivers cannot read. */
function listHeaders(
  { host }: URL,
  headers: Record<string, string> = {},
  body: string | Uint8Array | undefined,
): string[] {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body?.byteLength
  return [
    'host',
    host,
    ...Object.entries(headers).flat(),
    ...(length === undefined ? [] : ['content-length', String(length)]),
  ]
}
