// Requests outward. To `public`, an address is checked after its name was resolved, and the connection goes to that very address.

import { lookup } from 'node:dns'
import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { isGlobalAddress } from '../../shared/addresses.ts'
import { SECOND } from '../../shared/clock.ts'
import type { BodyReader, OutwardAnswer, Reach } from '../runtime.ts'
import { IncomingBody } from './incoming-body.ts'

/** Shorter than the five seconds after which many servers close an idle connection. */
const IDLE_FOR = 4 * SECOND
const IDLE_SOCKETS = 256
/** A receiver's headers; larger ones break the connection. */
const LARGEST_HEADERS = 32 * 1024

class NotPublic extends Error {}

const isPublic = (address: string, family: number): boolean =>
  isGlobalAddress(family === 6 ? `[${address}]` : address) === true

/** Answers only the addresses that are public; a name without one cannot be reached. */
const lookupPublic: LookupFunction = (hostname, options, answer) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return answer(error, '', 0)
    const usable = found.filter(({ address, family }) => isPublic(address, family))
    const [first] = usable
    if (!first) return answer(new NotPublic('the address is not public'), '', 0)
    if (options.all) answer(null, usable)
    else answer(null, first.address, first.family)
  })
}

const idle = { keepAlive: true, timeout: IDLE_FOR, maxFreeSockets: IDLE_SOCKETS, scheduling: 'lifo' } as const

const agents: Record<Reach, { plain: HttpAgent; secure: HttpsAgent }> = {
  public: {
    plain: new HttpAgent({ ...idle, lookup: lookupPublic }),
    secure: new HttpsAgent({ ...idle, lookup: lookupPublic }),
  },
  allowlisted: { plain: new HttpAgent(idle), secure: new HttpsAgent(idle) },
}

/** Closes the connections that are kept open. */
export function closeOutbound(): void {
  for (const { plain, secure } of Object.values(agents)) {
    plain.destroy()
    secure.destroy()
  }
}

/** `mayRepeat`: a request on a connection that the server closes without an answer is sent again, as it may have been closed before. */
export async function fetchOutward(
  reach: Reach,
  url: string,
  init: RequestInit,
  { mayRepeat = true }: { mayRepeat?: boolean } = {},
): Promise<OutwardAnswer> {
  init.signal?.throwIfAborted()
  const target = new URL(url)
  const host = unbracket(target.hostname)
  // A literal address is not looked up.
  if (reach === 'public' && isIP(host) && !isPublic(host, isIP(host)))
    throw new NotPublic('the address is not public')
  return new NodeAnswer(await send(target, reach, init, mayRepeat))
}

/** An IPv6 address stands in brackets in a URL. */
const unbracket = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Its body becomes a stream only if somebody wants one. */
class NodeAnswer implements OutwardAnswer {
  readonly #message: IncomingMessage
  readonly status: number
  readonly headers: OutwardAnswer['headers']

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

function send(target: URL, reach: Reach, init: RequestInit, mayRepeat: boolean): Promise<IncomingMessage> {
  const isSecure = target.protocol === 'https:'
  const { plain, secure } = agents[reach]
  const body = toBytes(init.body)
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    hostname: unbracket(target.hostname),
    port: target.port,
    path: target.pathname + target.search,
    // A list is written as it is; an object would first be stored, header by header.
    headers: listHeaders(target, init.headers as Record<string, string>, body),
    agent: isSecure ? secure : plain,
    maxHeaderSize: LARGEST_HEADERS,
  }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? secureRequest : plainRequest)(options, resolve)
    // Less than Node's own `signal`, which watches the whole life of the request.
    init.signal?.addEventListener('abort', () => request.destroy(), { once: true })
    // Nothing here speaks another protocol.
    request.once('upgrade', (message, socket) => {
      socket.destroy()
      resolve(message)
    })
    request.once('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && mayRepeat
      if (isStale && !init.signal?.aborted) send(target, reach, init, false).then(resolve, reject)
      else reject(isLost(error) ? new Error('the connection was closed', { cause: error }) : error)
    })
    request.end(body)
  })
}

const isLost = ({ code = '' }: NodeJS.ErrnoException): boolean => ['ECONNRESET', 'EPIPE'].includes(code)

/** Bodies outward are texts or bytes. */
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
    ...['host', host],
    ...Object.entries(headers).flat(),
    ...(length === undefined ? [] : ['content-length', String(length)]),
  ]
}
