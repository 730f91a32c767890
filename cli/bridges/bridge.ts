// The base of a bridge between the gateway and another service: a server, verified webhooks, and a small persistent store.

import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { connectInstance, verifyWebhook, WebhookRefused } from '../../client/client.ts'
import { readBody } from '../http/read-body.ts'

const { GATEWAY = 'http://127.0.0.1:8787', PORT = '8790', DATABASE = 'bridge.db' } = process.env
const BODY_AT_MOST = 2 * 1024 * 1024

/** A variable without which the program cannot work. */
export function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

export const gateway = connectInstance({ baseUrl: GATEWAY, token: needed('TOKEN') })
const secret = needed('SECRET')

const database = new DatabaseSync(DATABASE)
database.exec('pragma journal_mode = wal; pragma synchronous = full')
database.exec(
  'create table if not exists kept (name text primary key, value text not null, at integer not null)',
)
// The gateway delivers an event again for four days.
const forget = `delete from kept where at < ? and (name like 'event %' or name like 'answer %')`
database.prepare(forget).run(Date.now() - 7 * 24 * 3_600_000)
const read = database.prepare('select value from kept where name = ?')
const write = database.prepare('insert or replace into kept (name, value, at) values (?, ?, ?)')

/** Values that are kept over a restart, by name. */
export const memory = {
  get: (name: string) => read.get(name)?.value as string | undefined,
  set: (name: string, value: string) => void write.run(name, value, Date.now()),
}

type Envelope = Awaited<ReturnType<typeof verifyWebhook>>

/** Posts to the other service. A refusal is an error, so that the gateway delivers again. */
export async function post<Answer>(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status}`)
  return (await response.json()) as Answer
}

/**
 * `/gateway` takes the gateway's webhooks, `/service` those of the other service. Both are answered when the work is done;
 * an exception is answered 500. An event that was handled is not handled again.
 */
export function bridge(told: (envelope: Envelope) => Promise<void>, called: (body: string) => Promise<void>) {
  const paths: Record<string, (body: string, request: IncomingMessage) => Promise<void>> = {
    async '/gateway'(body, { headers }) {
      const envelope = await verifyWebhook(body, headers, secret)
      const name = `event ${envelope.eventId}`
      if (memory.get(name)) return
      await told(envelope)
      memory.set(name, 'done')
    },
    '/service': called,
  }
  // Two messages of one chat must not both begin its conversation.
  let last = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  const server = createServer(async (request, response) => {
    const take = paths[request.url?.split('?', 1)[0] ?? '']
    if (!take || request.method !== 'POST') return response.writeHead(404).end()
    try {
      const body = (await readBody(request, BODY_AT_MOST)).toString()
      await inTurn(() => take(body, request))
      response.writeHead(204).end()
    } catch (thrown) {
      if (!(thrown instanceof WebhookRefused)) console.error(thrown)
      response.writeHead(thrown instanceof WebhookRefused ? 401 : 500).end()
    }
  })
  server.listen(Number(PORT), '127.0.0.1')
}
