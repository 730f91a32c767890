// Requests that never reach the app: no HTTP, too large a head, too late, or a target that names no route. They get an error of the contract too.

import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError } from '@hono/node-server'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import { chooseRequestId } from '../http/observe-requests.ts'
import { count } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import type { OpenResponses } from './open-responses.ts'

/** The caller reads the refusal first: closing a connection with unread bytes would discard it. */
const CLOSE_DELAY_MS = 500

/** By the code of Node's parser. Any other is a request that is not valid. */
const faults: Record<string, FaultName> = {
  HPE_HEADER_OVERFLOW: 'head_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** HTTP that the parser accepts: without a host or with two, or to a target that is neither a path nor a URL without credentials. */
export function isMalformed({ httpVersion, url = '', rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++
  // Clients of HTTP/1.0 need not name one.
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return true
  if (url.startsWith('/')) return false
  const target = URL.parse(url)
  return !target || !/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== ''
}

export const createMalformedResponse = ({ headers }: IncomingMessage): Response =>
  createFaultResponse('invalid_request', headers['x-request-id'])

/** For errors outside of the app: a target or a host that is no URL, or an unexpected error. */
export function createErrorResponse(env: Parameters<typeof log>[0], error: unknown): Response {
  if (error instanceof RequestError) return createFaultResponse('invalid_request')
  log(env, 'error', 'failed to serve request', { error })
  return createFaultResponse('internal')
}

function createFaultResponse(fault: FaultName, requestedId?: string | string[]): Response {
  const { status, fields, body } = createRefusal(new Fault(fault), requestedId)
  // It is not certain where this request ends and the next one begins.
  return new Response(body, { status, headers: [...fields, ['connection', 'close']] })
}

/** Writes a response to a connection that has no ServerResponse, and closes it. */
export function writeResponse(
  socket: Duplex,
  { status, fields, body }: { status: number; fields: [string, string][]; body: string | Uint8Array },
): void {
  const lines = [...fields, ['content-length', String(Buffer.byteLength(body))], ['connection', 'close']]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`)
  socket.end(body)
  setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref()
}

/** Responds to what the parser of this server refuses, and to CONNECT. */
export function refuseBrokenRequests(server: Server, openResponses: OpenResponses): void {
  const refused = new WeakSet<Duplex>()

  function refuseRequest(socket: Duplex, fault: Fault, fields: [string, string][] = []): void {
    refused.add(socket)
    const refusal = createRefusal(fault)
    writeResponse(socket, { ...refusal, fields: [...refusal.fields, ...fields] })
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser reports the error again for each piece that arrives.
    if (refused.has(socket)) return
    const response = [...openResponses.listOpen(socket)].at(-1)
    if (response?.req.complete) {
      // Broken bytes after a request must not prevent its response.
      refused.add(socket)
      response.shouldKeepAlive = false
      response.once('close', () => socket.end())
      return
    }
    const isClosed = error.code === 'ECONNRESET' || !socket.writable
    if (isClosed || response?.headersSent) socket.destroy()
    else refuseRequest(socket, new Fault(faults[error.code ?? ''] ?? 'invalid_request'))
  })
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy())
    refuseRequest(socket, new Fault('method_not_allowed'), [
      ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
    ])
  })
}

function createRefusal(fault: Fault, requestedId?: string | string[]) {
  count('edge_requests_total', { status: String(fault.status) })
  const fields: [string, string][] = [
    ['content-type', 'application/json'],
    ['x-request-id', chooseRequestId(typeof requestedId === 'string' ? requestedId : '')],
    ['x-content-type-options', 'nosniff'],
  ]
  return { status: fault.status, fields, body: JSON.stringify(fault.body) }
}
