// The HTTP servers of the edge in Node: the API with the upgrades of session hosts, and the operator's listener.

import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { SECOND } from '../../shared/clock.ts'
import { app } from '../app.ts'
import { served } from '../family/serving.ts'
import { log, reasonOf } from '../log.ts'
import { answerOperator } from '../operations.ts'
import { IncomingBody } from './incoming-body.ts'
import type { NodeContext, NodeEnv } from './runtime.ts'

const LIMITS = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20 * SECOND,
  /** For a whole request: a large file on a slow line needs this long. */
  requestTimeout: 300 * SECOND,
  keepAliveTimeout: 75 * SECOND,
  connectionsCheckingInterval: 5 * SECOND,
}

/** Serves the API. Resolves when it listens. */
export async function serveApi(env: NodeEnv, host: string, port: number): Promise<Server> {
  const answer = (request: Request, context: NodeContext) =>
    served(request, env, context, (asked) => app.fetch(asked, env, context))
  // It replaces the global Response by one that is written without a stream.
  const listener = getRequestListener((request, { incoming }) => {
    const message = incoming as IncomingMessage
    const body = new IncomingBody(message, () => expectations.get(message)?.())
    const openBody = (asked: Request) => (asked === request && !body.isStreamed ? body : undefined)
    return answer(request, { ...contextOf(env, message), openBody })
  })
  const server = createServer(LIMITS, listener)
  /** Requests whose callers wait to be asked for the body. */
  const expectations = new WeakMap<IncomingMessage, () => void>()
  // Without a listener Node would ask for the body before anybody has looked at the request.
  server.on('checkContinue', (request, response) => {
    const ask = () => {
      if (expectations.delete(request) && !response.headersSent) response.writeContinue()
    }
    expectations.set(request, ask)
    request.once('resume', ask)
    // After a refusal nobody knows whether the body comes.
    response.shouldKeepAlive = false
    void listener(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    void upgrade({ request, socket, head }).catch((error) => {
      log(env, 'error', 'upgrade failed', { reason: reasonOf(error) })
      socket.destroy()
    })
  })

  async function upgrade({
    request,
    socket,
    head,
  }: {
    request: IncomingMessage
    socket: Duplex
    head: Buffer
  }) {
    socket.on('error', () => socket.destroy())
    const context = { ...contextOf(env, request), upgrade: { request, socket, head, accepted: false } }
    const answered = await answer(requestOf(request), context)
    if (!context.upgrade.accepted) await refuse(socket, answered)
  }

  return listen(server, host, port)
}

/** Serves the metrics. `read` is called before each answer. */
export async function serveOperator(
  env: NodeEnv,
  host: string,
  port: number,
  read: () => Promise<void>,
): Promise<Server> {
  const listener = getRequestListener(async (request) => {
    await read()
    return answerOperator(request, env)
  })
  return listen(createServer(LIMITS, listener), host, port)
}

/** Waits for requests under way at most so many milliseconds. */
export async function closeServer(server: Server, within: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), within)
  await closed
  clearTimeout(timer)
}

async function listen(server: Server, host: string, port: number): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

const contextOf = (env: NodeEnv, { socket }: IncomingMessage): NodeContext => ({
  peer: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
  waitUntil: (work) =>
    void work.catch((error) => log(env, 'error', 'late work failed', { reason: reasonOf(error) })),
  passThroughOnException: () => undefined,
  props: {},
})

/** Without its body: an upgrade has none. */
function requestOf({ url = '/', headers }: IncomingMessage): Request {
  const copied = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) copied.set(name, Array.isArray(value) ? value.join() : value)
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), { headers: copied })
}

async function refuse(socket: Duplex, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = [...answer.headers, ['content-length', body.length], ['connection', 'close']]
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  socket.write(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('\r\n')}\r\n\r\n`)
  socket.end(body)
}
