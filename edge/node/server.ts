// The HTTP servers of the edge in Node: the API with the upgrades of session hosts, and the operator's listener.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { MINUTE, SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { app } from '../app.ts'
import { served } from '../family/serving.ts'
import { log, reasonOf } from '../log.ts'
import { answerOperator } from '../operations.ts'
import {
  answerBrokenRequests,
  answerError,
  answerMalformed,
  isMalformed,
  writeAnswer,
} from './broken-requests.ts'
import { IncomingBody } from './incoming-body.ts'
import { OpenAnswers } from './open-answers.ts'
import type { NodeContext, NodeEnv } from './runtime.ts'

const LIMITS = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20 * SECOND,
  /** For a whole request: a large file on a slow line needs this long. */
  requestTimeout: 300 * SECOND,
  keepAliveTimeout: 75 * SECOND,
  connectionsCheckingInterval: 5 * SECOND,
  /** `isMalformed` looks at it, so that the refusal is ours. */
  requireHostHeader: false,
  /** Clients ask for HTTP/2 in this way too, with any request: that is answered as if they had not. */
  shouldUpgradeCallback: ({ method, headers }: IncomingMessage) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
}

/** Longer than any act may take: who reads nothing of an answer for so long is given up. */
const NOTHING_MOVES_FOR = 15 * MINUTE

/** A client of HTTP/1.0 need not name a host. */
const NO_HOST = 'localhost'

export interface Listener {
  /** Waits for requests under way at most so many milliseconds. WebSockets stay. */
  close(within: number): Promise<void>
}

/** Serves the API. Resolves when it listens. */
export async function serveApi(env: NodeEnv, host: string, port: number): Promise<Listener> {
  const answer = (request: Request, context: NodeContext) =>
    served(request, env, context, (asked) => app.fetch(asked, env, context))
  // It replaces the global Response by one that is written without a stream.
  const listener = getRequestListener(
    (request, { incoming }) => {
      const message = incoming as IncomingMessage
      if (isMalformed(message)) return answerMalformed(message)
      const body = new IncomingBody(message, () => expectations.get(message)?.())
      const openBody = (asked: Request) => (asked === request && !body.isStreamed ? body : undefined)
      return answer(request, { ...contextOf(env, message), openBody })
    },
    { hostname: NO_HOST, errorHandler: (error) => answerError(env, error) },
  )
  const server = createServer(LIMITS, listener)
  const answers = new OpenAnswers(server)
  answerBrokenRequests(server, answers)
  /** Requests whose callers wait to be asked for the body. */
  const expectations = new WeakMap<IncomingMessage, () => void>()
  // Only `100-continue` has a meaning, and any other may be ignored.
  server.on('checkExpectation', listener)
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
    const asked = isMalformed(request) ? undefined : makeRequest(request)
    if (!asked) return sendAnswer(socket, answerMalformed(request))
    const context = { ...contextOf(env, request), upgrade: { request, socket, head, accepted: false } }
    const answered = await answer(asked, context)
    if (!context.upgrade.accepted) await sendAnswer(socket, answered)
  }

  return listen(server, answers, host, port)
}

/** Serves the metrics. `read` is called before each answer. */
export async function serveOperator(
  env: NodeEnv,
  host: string,
  port: number,
  read: () => Promise<void>,
): Promise<Listener> {
  const listener = getRequestListener(async (request) => {
    await read()
    return answerOperator(request, env)
  })
  const server = createServer(LIMITS, listener)
  return listen(server, new OpenAnswers(server), host, port)
}

async function listen(server: Server, answers: OpenAnswers, host: string, port: number): Promise<Listener> {
  server.timeout = NOTHING_MOVES_FOR
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    async close(within) {
      server.close()
      const ended = answers.end().then(() => Promise.all(lateWork))
      await withDeadline(ended, within, () => undefined)
      server.closeAllConnections()
    },
  }
}

/** Work of requests that goes on after their answers. */
const lateWork = new Set<Promise<unknown>>()

const contextOf = (env: NodeEnv, { socket }: IncomingMessage): NodeContext => ({
  peer: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
  waitUntil(work) {
    const logged = work.catch((error) => log(env, 'error', 'late work failed', { reason: reasonOf(error) }))
    lateWork.add(logged)
    void logged.finally(() => lateWork.delete(logged))
  },
  passThroughOnException: () => undefined,
  props: {},
})

/** Without its body: an upgrade has none. Undefined if it names no URL. */
function makeRequest({ url = '/', headers: { host = NO_HOST }, rawHeaders }: IncomingMessage) {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  const target = URL.parse(url, `http://${host}`)
  return target && new Request(target, { headers })
}

async function sendAnswer(socket: Duplex, { status, headers, body }: Response): Promise<void> {
  writeAnswer(socket, {
    status,
    fields: [...headers],
    body: Buffer.from(await new Response(body).arrayBuffer()),
  })
}
