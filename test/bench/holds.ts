// `npm run bench -- --holds`: how long each list, export, purge and deletion of a large gateway holds the edge's event loop.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildPages } from '../../local/build/pages.ts'
import { migrateEdge } from '../../local/migrate.ts'
import { quickEnv } from '../../local/processes/quick-node.ts'
import { freePort } from '../../local/settings/ports.ts'
import type { Holds } from './holds-edge.ts'
import { type Amounts, type Filled, fill, NOBODY_AT } from './holds-fill.ts'

/** Milliseconds. */
const AT_MOST = 20
const ADMIN_TOKEN = 'an-admin-token-of-the-bench-of-32-characters'

export interface Hold extends Holds {
  what: string
  /** Of the whole operation, and the processor time of the process for it, with that of its other threads. */
  took: number
  cost: number
  /** MiB of the process after it. */
  rss: number
}

interface Asking extends Filled {
  url: string
  operatorUrl: string
}

interface Row {
  what: string
  ask(asking: Asking): Promise<unknown>
}

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

const reads: Row[] = [
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

const changes: Row[] = [
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

/** Worst first. */
export async function measureHolds(amounts: Amounts, note: (text: string) => void): Promise<Hold[]> {
  // Makes what the edge serves beside its code.
  await buildPages()
  const folder = mkdtempSync(join(tmpdir(), 'holds-'))
  const file = join(folder, 'edge.db')
  await migrateEdge({ url: pathToFileURL(file).href, token: '' })
  note(`${amounts.events} events of ${amounts.instances} instances …`)
  const filled = await fill(file, amounts)
  const edge = await startEdge(file)
  try {
    const asking = { ...filled, ...edge }
    // Compiles what all of them use.
    for (const row of reads.slice(0, 2)) await row.ask(asking)
    const found: Hold[] = []
    for (const row of [...reads, ...changes]) {
      found.push(await measure(edge.child, row, asking))
      note(line(found.at(-1) as Hold))
    }
    return found.sort((one, other) => other.cpu - one.cpu)
  } finally {
    edge.child.kill('SIGTERM')
    await once(edge.child, 'exit')
    rmSync(folder, { recursive: true })
  }
}

async function startEdge(file: string): Promise<{ child: ChildProcess; url: string; operatorUrl: string }> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = fork(join(import.meta.dirname, 'holds-edge.ts'), {
    execArgv: ['--max-semi-space-size=4', ...process.execArgv],
    env: {
      ...{ ...quickEnv, ADMIN_TOKEN, LOG_LEVEL: 'warn', WEBHOOK_ALLOWLIST: NOBODY_AT, NODE_NO_WARNINGS: '1' },
      SEAL_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      ...{ EDGE_HOST: '127.0.0.1', EDGE_PORT: String(port), EDGE_METRICS_PORT: String(metricsPort) },
      DATABASE_URL: pathToFileURL(file).href,
    },
  })
  await once(child, 'message')
  return { child, url: `http://127.0.0.1:${port}`, operatorUrl: `http://127.0.0.1:${metricsPort}` }
}

async function measure(child: ChildProcess, { what, ask }: Row, asking: Asking): Promise<Hold> {
  const said = async <Said>(word: string) => {
    const answer = once(child, 'message')
    child.send(word)
    return (await answer)[0] as Said
  }
  await said('begin')
  const began = performance.now()
  await ask(asking)
  const took = performance.now() - began
  return { what, took, ...(await said<Omit<Hold, 'what' | 'took'>>('end')) }
}

const line = ({ what, cpu, wall, call, took, cost, rss, sql }: Hold): string =>
  `${what}: ${cpu.toFixed(1)} ms (${wall.toFixed(1)} by the clock, a call ${call.toFixed(1)}) of ${took.toFixed(0)}, costs ${cost.toFixed(0)}; ${rss.toFixed(0)} MiB ${sql.replace(/\s+/g, ' ').slice(0, 60)}`

/** For the terminal. */
export function printHolds(holds: Hold[]): void {
  console.table(
    holds.map(({ what, cpu, call, took, cost, rss }) => ({
      what,
      'held, ms': cpu.toFixed(1),
      'longest call of the database': call.toFixed(1),
      'took, ms': took.toFixed(0),
      'processor time, ms': cost.toFixed(0),
      'MiB after': rss.toFixed(0),
      reach: `≤ ${AT_MOST}`,
      '': cpu <= AT_MOST ? 'reached' : 'MISSED',
    })),
  )
}
