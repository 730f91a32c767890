// The operations that `npm run bench -- --holds` measures: each list, export, purge and deletion with as much as there is.

import Database from 'libsql'
import { createCaller } from '../caller.ts'
import { type HostStandIn, registerStandIn } from '../hosts/host-stand-in.ts'
import type { World } from '../world.ts'
import { type Filled, PAYLOAD, type Role } from './loop-turns-fill.ts'

export interface Target extends Filled {
  url: string
  operatorUrl: string
  file: string
}

export interface Row {
  what: string
  performRequest(target: Target): Promise<unknown>
}

export const ADMIN_TOKEN = 'an-admin-token-of-the-bench-of-32-characters'
const admin = { admintoken: ADMIN_TOKEN }

/** Reads the whole answer, and drops it. */
async function sendRequest(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status} with ${bytes} bytes`)
}

const createGetRow = (what: string, path: (target: Target) => string): Row => ({
  what,
  performRequest: (target) => sendRequest('GET', target.url + path(target), admin),
})
const createEventsRow = (what: string, query: (target: Target) => string): Row =>
  createGetRow(`events: ${what}`, (target) => `/v1/events?limit=200&${query(target)}`)
const createAuditRow = (what: string, query: string): Row =>
  createGetRow(`audit log: ${what}`, () => `/v1/audit?limit=200&${query}`)
const createSearchRow = (what: string, query: string): Row =>
  createGetRow(`instances: ${what}`, () => `/v1/instances?limit=200&${query}`)
const createTokenRow = (
  method: string,
  what: string,
  role: keyof Filled['tokens'],
  path: string,
  body?: unknown,
): Row => ({
  what,
  performRequest: ({ url, tokens }) => sendRequest(method, url + path, { token: tokens[role] }, body),
})
const createTickRow = (what: string): Row => ({
  what,
  performRequest: ({ operatorUrl }) => sendRequest('POST', `${operatorUrl}/tick`),
})
const elsewhere = 'http://127.0.0.1:9/elsewhere'
const webhook = { url: elsewhere, events: ['messages'], enabled: false }

export const reads: Row[] = [
  createGetRow('health, for comparison', () => '/health/live'),
  createGetRow('all instances', () => '/instance/all'),
  createGetRow('instances of a company', () => '/instance/all?companyId=company-7'),
  createGetRow('overview', () => '/v1/overview'),
  createSearchRow('by name', ''),
  createSearchRow('searched', 'search=instance+99'),
  createSearchRow('of a webhook that fails', 'webhook=failing,resting'),
  createSearchRow('by their last event', 'sort=-lastEvent'),
  createSearchRow('by what waits', 'sort=-pending'),
  createTokenRow('GET', 'status, 100,000 events waiting', 'waiting', '/instance/status'),
  createTokenRow('GET', 'status, 100,000 events failing', 'failing', '/instance/status'),
  createTokenRow('GET', 'status, 100,000 events dead', 'dead', '/instance/status'),
  createTokenRow('GET', 'webhook, 100,000 events waiting', 'waiting', '/webhook'),
  createTokenRow('GET', 'webhook errors', 'dead', '/webhook/errors'),
  createEventsRow('newest', ({ ids }) => `instance=${ids.large}`),
  createEventsRow('oldest', ({ ids }) => `instance=${ids.large}&afterSeq=0`),
  createEventsRow('of a type that there is not', ({ ids }) => `instance=${ids.large}&type=groups`),
  createEventsRow(
    'of a time that there is not',
    ({ ids }) => `instance=${ids.large}&to=2020-01-01T00:00:00Z`,
  ),
  createEventsRow(
    'waiting, of a type that there is not',
    ({ ids }) => `instance=${ids.waiting}&status=pending&type=groups`,
  ),
  createEventsRow(
    'dead, of a type that there is not',
    ({ ids }) => `instance=${ids.dead}&status=dead&type=groups`,
  ),
  createEventsRow('dead', ({ ids }) => `instance=${ids.dead}&status=dead`),
  createEventsRow(
    'delivered, of a state without any',
    ({ ids }) => `instance=${ids.waiting}&status=delivered`,
  ),
  createEventsRow('about a message', ({ ids }) => `instance=${ids.large}&messageid=ID7`),
  createEventsRow('about a message, of all instances', () => 'messageid=ID7'),
  createAuditRow('newest', ''),
  createAuditRow('of an action that there is not', 'action=host.drain'),
  createAuditRow('of an outcome that there is not', 'outcome=internal'),
  createAuditRow('of a request that there is not', 'requestId=none'),
  createAuditRow('of a time that there is not', 'until=2010-01-01T00:00:00Z'),
  createGetRow('admin tokens', () => '/v1/tokens'),
  createGetRow('hosts', () => '/v1/hosts'),
  { what: 'metrics', performRequest: ({ operatorUrl }) => sendRequest('GET', `${operatorUrl}/metrics`) },
  createGetRow('export of an instance with most events', ({ ids }) => `/v1/instances/${ids.large}/export`),
]

export const changes: Row[] = [
  createTokenRow('POST', 'replay, only counted', 'large', '/v1/events/replay', { fromSeq: 0, dryRun: true }),
  createTokenRow('POST', 'replay of what the subscription does not want', 'erased', '/v1/events/replay', {
    fromSeq: 0,
  }),
  createTokenRow('POST', 'replay of 10,000', 'dead', '/v1/events/replay', { status: 'dead' }),
  createTokenRow('POST', 'another webhook, 100,000 events waiting', 'moved', '/webhook', webhook),
  createTickRow('tick that purges'),
  createTickRow('tick that purges more'),
  {
    what: 'deletion of an admin token with 100,000 keys',
    performRequest: ({ url, adminTokenId }) =>
      sendRequest('DELETE', `${url}/v1/tokens/${adminTokenId}`, admin),
  },
  createTokenRow('DELETE', 'deletion of an instance, 100,000 of everything', 'erased', '/instance'),
  {
    what: 'webhook of the server, which 10,000 instances inherit',
    performRequest: ({ url }) =>
      sendRequest('POST', `${url}/v1/webhook`, admin, { url: elsewhere, events: 'all' }),
  },
  {
    what: 'another webhook of the server, 100,000 events waiting',
    performRequest: ({ url }) =>
      sendRequest('POST', `${url}/v1/webhook`, admin, { url: `${elsewhere}/2`, events: 'all' }),
  },
]

const EVENTS_A_FRAME = 200
let host: HostStandIn | undefined

/** A host that has all instances. */
async function linkHost({ url, file }: Target): Promise<void> {
  const world = { admin: createCaller(url, admin), run: { baseUrl: url } } as unknown as World
  host = await registerStandIn(world, crypto.randomUUID())
  host.claims = 20_000
  const database = new Database(file)
  database.exec(`update instances set host_id = '${host.id}', epoch = 1, status = 'connecting'`)
  database.close()
  await host.dialEdge()
}

function createFrameRow(role: Role, last: number): Row {
  return {
    what: `a frame of ${EVENTS_A_FRAME} events, ${role}`,
    async performRequest({ ids }) {
      const items = Array.from({ length: EVENTS_A_FRAME }, (_, at) => ({
        t: 'event' as const,
        n: last + at,
        id: crypto.randomUUID(),
        instance: ids[role],
        epoch: 1,
        type: 'messages' as const,
        owner: '',
        at: Date.now(),
        payload: JSON.parse(PAYLOAD),
      }))
      host?.sendFrames({ t: 'events', items })
      await host?.waitForFrame('ack', ({ upTo }) => upTo >= last)
    },
  }
}

export const links: Row[] = [
  { what: 'the link of a host with 10,000 instances', performRequest: linkHost },
  createFrameRow('large', 1000),
  createFrameRow('waiting', 2000),
  createFrameRow('failing', 3000),
  createFrameRow('large', 4000),
]

export const unlinkHost = (): void => host?.hangUp()
