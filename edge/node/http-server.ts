// The HTTP servers of the edge in Node: the API with the upgrades of session hosts, and the operator's listener, which is on a
// loopback address unless `EDGE_METRICS_HOST` names another.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { routes } from '@msgnet/shared/api/api.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { app } from '../api-app.ts'
import { log } from '../observability/edge-log.ts'
import { serveOperator } from '../operator/operator-routes.ts'
import {
  createErrorResponse,
  createMalformedResponse,
  isMalformed,
  refuseBrokenRequests,
  writeResponse,
} from './broken-requests.ts'
import type { UpgradeRequest } from './host-sockets.ts'
import { IncomingBody } from './incoming-body.ts'
import type { NodeContext, NodeEnv } from './node-runtime.ts'
import { OpenResponses } from './open-responses.ts'
import { createBoundedServer } from './pipelined-requests.ts'
import { RequestStarts, readCredential } from './request-starts.ts'

const LIMITS = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20 * SECOND,
  /** For a complete request: a large file on a slow line needs this long. */
  requestTimeout: 300 * SECOND,
  keepAliveTimeout: IDLE_CONNECTION_MS,
  connectionsCheckingInterval: 5 * SECOND,
  /** `isMalformed` checks it, so that the refusal has the contract's form. */
  requireHostHeader: false,
}

/**
 * The link of a host is the only upgrade. Any other request for one, to which clients of HTTP/2 belong too, is served as if it had
 * not asked: the response is then counted, streamed and ended as every other.
 */
const isLinkUpgrade = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  url.split('?', 1)[0] === routes.openHostLink.path

/** Longer than any act may take: a connection on which nothing moves for so long is closed. */
const STALLED_TIMEOUT = 15 * MINUTE

/** A client of HTTP/1.0 need not name a host. */
const NO_HOST = 'localhost'

/** Serves the API. Resolves when it listens. */
export async function serveApi(env: NodeEnv, host: string, port: number) {
  const handleRequest = (request: Request, context: NodeContext) =>
    env.dialects.serveRequest(request, context, (contractRequest, ownEnv = env, ownContext = context) =>
      app.fetch(contractRequest, ownEnv, ownContext),
    )
  const starts = new RequestStarts()
  // This replaces the global Response by one that is written without a stream.
  const listener = getRequestListener(
    (request, { incoming }) => {
      const message = incoming as IncomingMessage
      if (isMalformed(message)) return createMalformedResponse(message)
      const body = new IncomingBody(message, () => expectations.get(message)?.())
      const openBody = (current: Request) => (current === request && !body.isStreamed ? body : undefined)
      const credential = readCredential(message.rawHeaders)
      const confirmCaller = (caller: string) =>
        credential !== undefined && starts.remember(credential, caller)
      const serve = () => handleRequest(request, { ...createContext(env, message), openBody, confirmCaller })
      return starts.waitForStart(credential, message.socket.remoteAddress)?.then(serve) ?? serve()
    },
    { hostname: NO_HOST, errorHandler: (error) => createErrorResponse(env, error) },
  )
  const { server, openResponses } = createBoundedServer(
    { ...LIMITS, isUpgrade: isLinkUpgrade, onUpgrade },
    listener,
  )
  refuseBrokenRequests(server, openResponses)
  /** Requests whose callers wait for `100 Continue` before they send the body. */
  const expectations = new WeakMap<IncomingMessage, () => void>()
  // Only `100-continue` has a meaning, and any other may be ignored.
  server.on('checkExpectation', listener)
  // Without a listener Node would ask for the body before the request was checked.
  server.on('checkContinue', (request, response) => {
    const continueRequest = () => {
      if (expectations.delete(request) && !response.headersSent) response.writeContinue()
    }
    expectations.set(request, continueRequest)
    request.once('resume', continueRequest)
    // After a refusal it is not known whether the body comes.
    response.shouldKeepAlive = false
    void listener(request, response)
  })

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void handleUpgrade({ request, socket, head }).catch((error) => {
      log(env, 'error', 'failed to upgrade connection', { error })
      socket.destroy()
    })
  }

  async function handleUpgrade({ request, socket, head }: UpgradeRequest) {
    socket.on('error', () => socket.destroy())
    const upgradeRequest = isMalformed(request) ? undefined : createRequest(request)
    if (!upgradeRequest) return sendRefusal(socket, createMalformedResponse(request))
    const context = { ...createContext(env, request), upgrade: { request, socket, head, accepted: false } }
    const response = await handleRequest(upgradeRequest, context)
    if (!context.upgrade.accepted) await sendRefusal(socket, response)
  }

  return startListening(server, openResponses, host, port)
}

/** Serves the metrics. `onScrape` is called before each response. */
export async function startOperatorListener(
  env: NodeEnv,
  host: string,
  port: number,
  onScrape: () => Promise<void>,
) {
  const listener = getRequestListener(async (request) => {
    await onScrape()
    return serveOperator(request, env)
  })
  const server = createServer(LIMITS, listener)
  return startListening(server, new OpenResponses(server), host, port)
}

async function startListening(server: Server, openResponses: OpenResponses, host: string, port: number) {
  server.timeout = STALLED_TIMEOUT
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    /** Waits for requests under way at most so many milliseconds. WebSockets stay. */
    async close(timeout: number): Promise<void> {
      server.close()
      const allEnded = openResponses.waitForEnd().then(() => Promise.all(backgroundWork))
      await withDeadline(allEnded, timeout, () => undefined)
      server.closeAllConnections()
    },
  }
}

/** Work of requests that goes on after their responses. */
const backgroundWork = new Set<Promise<unknown>>()

const createContext = (env: NodeEnv, { socket, url = '/' }: IncomingMessage): NodeContext => ({
  target: url,
  peerAddress: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
  waitUntil(work) {
    const logged = work.catch((error) => log(env, 'error', 'failed to finish background work', { error }))
    backgroundWork.add(logged)
    void logged.finally(() => backgroundWork.delete(logged))
  },
  passThroughOnException: () => undefined,
  props: {},
})

/** Without its body: an upgrade has none. Undefined if its host is none. */
function createRequest({ url = '/', headers: { host = NO_HOST }, rawHeaders }: IncomingMessage) {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  const target = URL.parse(url, `http://${host}`)
  return target && new Request(target, { headers })
}

/** A refusal of the link: the only response to an upgrade. */
async function sendRefusal(socket: Duplex, { status, headers, body }: Response): Promise<void> {
  writeResponse(socket, {
    status,
    fields: [...headers],
    body: Buffer.from(await new Response(body).arrayBuffer()),
  })
}
