// The operations that `npm run bench -- --holds` measures: each list, export, purge and deletion with as much as there is.

import Database from 'libsql'
import { makeCaller } from '../caller.ts'
import { type HostStandIn, registerStandIn } from '../hosts/host-stand-in.ts'
import type { World } from '../world.ts'
import { type Filled, PAYLOAD, type Role } from './holds-fill.ts'

export interface Asking extends Filled {
  url: string
  operatorUrl: string
  file: string
}

export interface Row {
  what: string
  ask(asking: Asking): Promise<unknown>
}

export const ADMIN_TOKEN = 'an-admin-token-of-the-bench-of-32-characters'
const admin = { admintoken: ADMIN_TOKEN }

/** Reads the whole answer, and drops it. */
async function ask(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<void> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status} with ${bytes} bytes`)
}

const get = (what: string, path: (asking: Asking) => string): Row => ({
  what,
  ask: (asking) => ask('GET', asking.url + path(asking), admin),
})
const events = (what: string, query: (asking: Asking) => string): Row =>
  get(`events: ${what}`, (asking) => `/v1/events?limit=200&${query(asking)}`)
const audit = (what: string, query: string): Row =>
  get(`audit log: ${what}`, () => `/v1/audit?limit=200&${query}`)
const own = (
  method: string,
  what: string,
  role: keyof Filled['tokens'],
  path: string,
  body?: unknown,
): Row => ({
  what,
  ask: ({ url, tokens }) => ask(method, url + path, { token: tokens[role] }, body),
})
const tick = (what: string): Row => ({
  what,
  ask: ({ operatorUrl }) => ask('POST', `${operatorUrl}/tick`),
})
const elsewhere = 'http://127.0.0.1:9/elsewhere'
const webhook = { url: elsewhere, events: ['messages'], enabled: false }

export const reads: Row[] = [
  get('health, for comparison', () => '/health/live'),
  get('all instances', () => '/instance/all'),
  get('instances of a company', () => '/instance/all?companyId=company-7'),
  own('GET', 'status, 100,000 events waiting', 'waiting', '/instance/status'),
  own('GET', 'status, 100,000 events failing', 'failing', '/instance/status'),
  own('GET', 'status, 100,000 events dead', 'dead', '/instance/status'),
  own('GET', 'webhook, 100,000 events waiting', 'waiting', '/webhook'),
  own('GET', 'webhook errors', 'dead', '/webhook/errors'),
  events('newest', ({ ids }) => `instance=${ids.large}`),
  events('oldest', ({ ids }) => `instance=${ids.large}&afterSeq=0`),
  events('of a type that there is not', ({ ids }) => `instance=${ids.large}&type=groups`),
  events('of a time that there is not', ({ ids }) => `instance=${ids.large}&to=2020-01-01T00:00:00Z`),
  events(
    'waiting, of a type that there is not',
    ({ ids }) => `instance=${ids.waiting}&status=pending&type=groups`,
  ),
  events('dead, of a type that there is not', ({ ids }) => `instance=${ids.dead}&status=dead&type=groups`),
  events('dead', ({ ids }) => `instance=${ids.dead}&status=dead`),
  events('delivered, of a state without any', ({ ids }) => `instance=${ids.waiting}&status=delivered`),
  events('about a message', ({ ids }) => `instance=${ids.large}&messageid=ID7`),
  events('about a message, of all instances', () => 'messageid=ID7'),
  audit('newest', ''),
  audit('of an action that there is not', 'action=host.drain'),
  audit('of an outcome that there is not', 'outcome=internal'),
  audit('of a request that there is not', 'requestId=none'),
  audit('of a time that there is not', 'until=2010-01-01T00:00:00Z'),
  get('admin tokens', () => '/v1/tokens'),
  get('hosts', () => '/v1/hosts'),
  { what: 'metrics', ask: ({ operatorUrl }) => ask('GET', `${operatorUrl}/metrics`) },
  get('export of an instance with most events', ({ ids }) => `/v1/instances/${ids.large}/export`),
]

export const changes: Row[] = [
  own('POST', 'replay, only counted', 'large', '/v1/events/replay', { fromSeq: 0, dryRun: true }),
  own('POST', 'replay of what the subscription does not want', 'erased', '/v1/events/replay', { fromSeq: 0 }),
  own('POST', 'replay of 10,000', 'dead', '/v1/events/replay', { status: 'dead' }),
  own('POST', 'another webhook, 100,000 events waiting', 'moved', '/webhook', webhook),
  tick('tick that purges'),
  tick('tick that purges more'),
  {
    what: 'deletion of an admin token with 100,000 keys',
    ask: ({ url, adminTokenId }) => ask('DELETE', `${url}/v1/tokens/${adminTokenId}`, admin),
  },
  own('DELETE', 'deletion of an instance, 100,000 of everything', 'erased', '/instance'),
  {
    what: 'webhook of the server, which 10,000 instances inherit',
    ask: ({ url }) => ask('POST', `${url}/v1/webhook`, admin, { url: elsewhere, events: 'all' }),
  },
  {
    what: 'another webhook of the server, 100,000 events waiting',
    ask: ({ url }) => ask('POST', `${url}/v1/webhook`, admin, { url: `${elsewhere}/2`, events: 'all' }),
  },
]

const EVENTS_A_FRAME = 200
let host: HostStandIn | undefined

/** A host that has all instances. */
async function linkHost({ url, file }: Asking): Promise<void> {
  const world = { admin: makeCaller(url, admin), run: { baseUrl: url } } as unknown as World
  host = await registerStandIn(world, crypto.randomUUID())
  host.claims = 20_000
  const database = new Database(file)
  database.exec(`update instances set host_id = '${host.id}', epoch = 1, status = 'connecting'`)
  database.close()
  await host.dial()
}

function frame(role: Role, last: number): Row {
  return {
    what: `a frame of ${EVENTS_A_FRAME} events, ${role}`,
    async ask({ ids }) {
      const items = Array.from({ length: EVENTS_A_FRAME }, (_, at) => ({
        ...{ t: 'event' as const, n: last + at, id: crypto.randomUUID(), instance: ids[role], epoch: 1 },
        ...{ type: 'messages' as const, owner: '', at: Date.now(), payload: JSON.parse(PAYLOAD) },
      }))
      host?.send({ t: 'events', items })
      await host?.next('ack', ({ upTo }) => upTo >= last)
    },
  }
}

export const links: Row[] = [
  { what: 'the link of a host with 10,000 instances', ask: linkHost },
  frame('large', 1000),
  frame('waiting', 2000),
  frame('failing', 3000),
  frame('large', 4000),
]

export const unlinkHost = (): void => host?.hangUp()
