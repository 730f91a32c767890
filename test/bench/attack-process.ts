// Sends the requests of an attack, in a process of its own: what it reads and parses must not hold up the clock of the neighbours.
//
// Its parent sends {requests, atOnce, seconds}. It sends {statuses}: how often each status came, `failed` for no answer.

import { Agent, request } from 'node:http'

export interface AttackRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

export interface AttackOrder {
  /** One after another, from the start again. */
  requests: AttackRequest[]
  atOnce: number
  seconds: number
}

const ATTEMPT_MS = 60_000

process.once('message', async ({ requests, atOnce, seconds }: AttackOrder) => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const statuses: Record<string, number> = {}
  const endAt = performance.now() + seconds * 1000
  let next = 0
  async function attackRepeatedly(): Promise<void> {
    while (performance.now() < endAt) {
      const status = await send(requests[next++ % requests.length] as AttackRequest, agent)
      statuses[status] = (statuses[status] ?? 0) + 1
      // A refused attacker that asks again at once would be measured by what refusals cost.
      if (status === '429') await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, attackRepeatedly))
  if (process.connected) process.send?.({ statuses })
  if (process.connected) process.disconnect()
})
process.send?.({ ready: true })

/** The status, once the response has ended. */
function send({ method, url, headers, body }: AttackRequest, agent: Agent): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const isUpgrade = headers.upgrade !== undefined
  const sent = request(url, { method, headers, timeout: ATTEMPT_MS, ...(isUpgrade ? {} : { agent }) })
  const finish = (status: number | string) => resolve(String(status))
  sent.on('response', (response) => {
    response.on('end', () => finish(response.statusCode ?? 0)).on('error', () => finish('failed'))
    response.resume()
  })
  sent.on('timeout', () => sent.destroy(new Error('no answer')))
  sent.on('error', () => finish('failed'))
  sent.end(body)
  return promise
}
