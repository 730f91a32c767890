// A receiver with one flaw, named by FLAW, for the grader to find. PORT and SECRET are as in cli/receivers/; LOG is the file of what it has worked on. GET lists the ids of that.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

const { FLAW = '', PORT = '', SECRET = '', LOG = '' } = process.env
/** How long an answer of the one that is slow takes, alone and while others wait for theirs. */
const ALONE_MS = 100
const BUSY_MS = 1000
const webhook = new Webhook(SECRET)
const stored = existsSync(LOG) ? readFileSync(LOG, 'utf8').split('\n').filter(Boolean) : []
const seen = new Set(stored)
let queue = Promise.resolve()
let waiting = 0

function isGenuine(body: string, headers: Record<string, string>): boolean {
  try {
    webhook.verify(FLAW === 'writes JSON anew' ? JSON.stringify(JSON.parse(body)) : body, headers)
    return true
  } catch {
    return FLAW === 'verifies nothing'
  }
}

/** One after the other. */
function takeTurn(): Promise<void> {
  waiting += 1
  const before = queue
  const take = async () => {
    await before
    await wait(waiting > 1 ? BUSY_MS : ALONE_MS)
    waiting -= 1
  }
  queue = take()
  return queue
}

createServer(async (request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(stored))
  const body = await text(request)
  if (FLAW === 'is slow in a crowd') await takeTurn()
  const headers = request.headers as Record<string, string>
  if (!isGenuine(body, headers)) return response.writeHead(401).end()
  const id = String(headers['webhook-id'])
  if (seen.has(id) && FLAW !== 'works on repeats') return response.writeHead(204).end()
  seen.add(id)
  stored.push(id)
  if (FLAW !== 'stores in memory') appendFileSync(LOG, `${id}\n`)
  // Every other one is stored for a while before it is confirmed, so that a kill comes between.
  if (FLAW === 'works on repeats' && stored.length % 2 === 0) await wait(ALONE_MS)
  return response.writeHead(204).end()
}).listen(Number(PORT), '127.0.0.1')
