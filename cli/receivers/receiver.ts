// A webhook receiver in TypeScript: it verifies, stores each event once, and responds with 2xx only after the event is on disk.
// SECRET=whsec_… PORT=8788 DATABASE=events.db node receiver.ts

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

const { SECRET = '', PORT = '8788', DATABASE = 'events.db' } = process.env
// With an empty key, anyone could sign.
if (!SECRET) throw new Error('SECRET is not set')
const TOLERANCE_SECONDS = 300
const MAX_BODY_BYTES = 2 * 1024 * 1024

const database = new DatabaseSync(DATABASE)
database.exec('pragma journal_mode = wal; pragma synchronous = full')
database.exec('create table if not exists events (id text primary key, body text not null)')
// The id is the same on every attempt: an event that is stored already changes nothing.
const insertEvent = database.prepare('insert or ignore into events (id, body) values (?, ?)')

/** `whsec_` and base64 of 24 to 64 bytes means those bytes; any other secret means its own ASCII. */
function decodeKey(secret: string): Buffer {
  const decoded = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.alloc(0)
  return decoded.length >= 24 && decoded.length <= 64 ? decoded : Buffer.from(secret)
}

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!id || !(age <= TOLERANCE_SECONDS)) return false
  const mac = createHmac('sha256', decodeKey(SECRET)).update(`${id}.${timestamp}.`).update(body).digest()
  // There are several while a secret is being rotated; one that fits is enough.
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const received = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
      return signature.startsWith('v1,') && received.length === mac.length && timingSafeEqual(received, mac)
    })
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      size += chunk.length
      if (size > MAX_BODY_BYTES) return response.writeHead(413).end()
      chunks.push(chunk)
    }
  } catch {
    return // The request was cut off: it is delivered again.
  }
  const body = Buffer.concat(chunks)
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  // Process it later, from the table: a slow response counts as a failed delivery.
  insertEvent.run(String(request.headers['webhook-id']), body.toString())
  return response.writeHead(204).end()
})
server.listen(Number(PORT), '127.0.0.1')
