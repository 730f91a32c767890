// The laboratory by HTTP, for programs in any language: JSON in, JSON out.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DAY, HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { isLocalRequest } from '@msgnet/shared/loopback.ts'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { BodyTooLargeError, readBody } from '@msgnet/shared/node/read-request-body.ts'
import { z } from 'zod'
import { claimPort } from '../settings/ports.ts'
import { MAX_AHEAD } from './lab-gateway.ts'
import type { LabPool } from './lab-pool.ts'
import type { Lab } from './lab-world.ts'
import { findStory, playStory, stories } from './stories/stories.ts'

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 1024 * 1024
const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY }

const toMs = (time: string): number => Number(time.slice(0, -1)) * (UNITS[time.slice(-1)] ?? 0)

const Time = z.strictObject({
  pass: z
    .string()
    .regex(/^\d+[smhd]$/, { error: 'must be a time such as 90s, 5m, 3h or 30d', abort: true })
    .refine((time) => toMs(time) <= MAX_AHEAD, 'must be 100 years (36500d) at most'),
})
const Manner = z.strictObject({
  instance: z.string().optional(),
  forwardTo: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .optional(),
  away: z.union([z.literal(0), z.int().min(300).max(599)]).optional(),
  forget: z.int().min(0).max(1000).optional(),
  dawdle: z.int().min(0).max(1000).optional(),
})
const Named = z.strictObject({ name: z.string().min(1).max(100).optional() })
const Playing = z.strictObject({ story: z.string(), instance: z.string() })
const Owner = z.strictObject({ pid: z.int().positive().optional() })
const NewPhone = z.looseObject({ number: z.string().optional(), name: z.string().optional() })

type Route = (lab: Lab, body: unknown, query: URLSearchParams) => Promise<unknown>

const findId = (lab: Lab, instance: string | undefined) =>
  instance === undefined ? undefined : lab.findInstance(instance).id

const describeLab = ({ gateway, receiver, problems }: Lab) => ({
  baseUrl: gateway.baseUrl,
  adminToken: gateway.adminToken,
  simulatorUrl: `${gateway.simulatorUrl}/sim`,
  receiver: { url: receiver.url, secret: receiver.secret },
  now: gateway.now(),
  problems,
})

/** Of the laboratory of all callers, and at `/labs/{id}` of that of one test. */
const routes: Record<string, Route> = {
  'GET /lab': async (lab) => describeLab(lab),
  'POST /lab/instances': (lab, body) => lab.createInstance(Named.parse(body).name),
  'POST /lab/phones': async (lab, body) => ({
    number: await lab.createPhone(NewPhone.parse(body) as { number?: string }),
  }),
  async 'POST /lab/time'(lab, body) {
    const { pass } = Time.parse(body)
    await lab.passTime(toMs(pass))
    return { now: lab.gateway.now() }
  },
  async 'GET /lab/receiver'(lab, _body, query) {
    const id = findId(lab, query.get('instance') ?? undefined)
    return { judgement: lab.receiver.summarize(id), received: lab.receiver.listReceived(id) }
  },
  async 'POST /lab/receiver'(lab, body) {
    const { instance, ...manner } = Manner.parse(body)
    const id = findId(lab, instance)
    lab.receiver.change(manner, id)
    return { judgement: lab.receiver.summarize(id) }
  },
  'GET /lab/stories': async () => ({
    stories: stories.map(({ name, happens, should }) => ({ name, happens, should })),
  }),
  async 'POST /lab/stories'(lab, body) {
    const { story, instance } = Playing.parse(body)
    const { happens, should } = findStory(story)
    return { story, happens, should, ...(await playStory(lab, story, lab.findInstance(instance))) }
  },
}

type PoolRoute = (pool: LabPool, id: string, body: unknown, origin: string) => Promise<unknown>

const poolRoutes: Record<string, PoolRoute> = {
  async 'POST /labs'(pool, _id, body, origin) {
    const { id, lab } = await pool.takeOwn(Owner.parse(body).pid)
    return { url: `${origin}/labs/${id}`, ...describeLab(lab) }
  },
  'DELETE /labs/{id}': async (pool, id) => {
    await pool.release(id)
    return {}
  },
}

/** Takes the port, then opens the laboratories. Resolves with its address; `close` ends all. */
export async function serveLab(open: () => Promise<LabPool>, port: number) {
  if (port > 0) await claimPort('--port', HOST, port)
  let pool: LabPool | undefined
  const server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS }, (request, response) => {
    void respond(pool, request).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  await once(server.listen(port, HOST), 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await pool?.close()
  }
  try {
    pool = await open()
  } catch (error) {
    await close()
    throw error
  }
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}`, close }
}

async function respond(
  pool: LabPool | undefined,
  request: IncomingMessage,
): Promise<{ status: number; body: unknown }> {
  try {
    // Whoever reads the admin token rules the gateway, and pages in a browser of this machine reach this port.
    if (!isLocalRequest((name) => request.headers[name] as string | undefined))
      return { status: 403, body: { error: 'for programs of this machine only, at 127.0.0.1 or localhost' } }
    const own = `http://${HOST}:${request.socket.localPort}`
    // What begins with two slashes would be another host, and what begins with none is no path.
    const target = request.url?.startsWith('/') ? request.url : '/'
    const { origin, pathname, searchParams } = new URL(own + target)
    const [, id = '', rest = ''] = /^\/labs\/(\d+)(\/.*)?$/.exec(pathname) ?? []
    const poolRoute = poolRoutes[`${request.method} ${id && !rest ? '/labs/{id}' : pathname}`]
    const route = routes[`${request.method} ${id ? `/lab${rest}` : pathname}`]
    if (!poolRoute && !route)
      return { status: 404, body: { error: `no such route; there are ${listRoutes()}` } }
    if (!pool) return { status: 503, body: { error: 'the laboratory is starting' } }
    const text = (await readBody(request, MAX_BODY_BYTES)).toString()
    const body = text ? JSON.parse(text) : {}
    const answer = poolRoute
      ? poolRoute(pool, id, body, origin)
      : route?.(id ? pool.find(id) : await pool.share(), body, searchParams)
    return { status: 200, body: await answer }
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      return { status: 400, body: { error: describeWrong(error) } }
    if (error instanceof BodyTooLargeError)
      return { status: 413, body: { error: 'body: must be 1 MiB at most' } }
    // A test reads the whole of what went wrong.
    return { status: error instanceof OperatorError ? 422 : 500, body: { error: (error as Error).message } }
  }
}

const listRoutes = () => [...Object.keys(routes), ...Object.keys(poolRoutes)].join(', ')

function describeWrong(error: z.ZodError | SyntaxError): string {
  if (!(error instanceof z.ZodError)) return `body: ${error.message}`
  const [issue] = error.issues
  return `${issue?.path.join('.') || 'body'}: ${issue?.message}`
}
