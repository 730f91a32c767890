// A shop that a program of Evolution has created: its instance, linked, and a receiver of its webhooks.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type BorrowedWorld, borrowWorld } from './borrowed-world.ts'
import { type Caller, createPlainCaller } from './caller.ts'
import { createPhone } from './device.ts'
import { listenAtReserved } from './reserved-ports.ts'
import type { Seen } from './scene.ts'
import { until } from './until.ts'

export interface Posted {
  path: string
  headers: Record<string, string | string[] | undefined>
  raw: string
  body: Seen
}

export const NAME = 'Loja São João'
export const TOKEN = 'a-key-that-its-caller-chose-1'
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export interface EvolutionScene {
  world: BorrowedWorld
  adminKey: string
  /** The key that was chosen at the creation. */
  own: Caller
  /** Digits of the account. */
  account: string
  friend: string
  /** The response to the creation. */
  created: Seen
  /** `host:port` of the receiver. */
  place: string
  posted: Posted[]
  /** Paths that answer 500. */
  failing: Set<string>
  callAs(apikey: string): Caller
  /** The first request to a path that fits, waited for. */
  waitAt(path: string, matches: (body: Seen) => boolean): Promise<Posted>
}

export const nameIn = (path: string, name = NAME): string => `${path}/${encodeURIComponent(name)}`
export const toOuter = (number: string): string => `${number}@s.whatsapp.net`

function startReceiver() {
  const posted: Posted[] = []
  const failing = new Set<string>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () => {
      const raw = Buffer.concat(pieces).toString()
      const path = request.url ?? ''
      posted.push({ path, headers: request.headers, raw, body: JSON.parse(raw) })
      response.statusCode = failing.has(path) ? 500 : 200
      response.end()
    })
  })
  return { server, posted, failing }
}

export async function borrowEvolution(env: Record<string, string> = {}): Promise<EvolutionScene> {
  const { server, posted, failing } = startReceiver()
  const place = await listenAtReserved(server)
  const world = await borrowWorld({ DIALECTS: 'uazapi,evolution,cloud', ...env })
  afterAll(async () => {
    await world.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const adminKey = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const callAs = (apikey: string) => createPlainCaller(`${world.run.baseUrl}/evolution`, { apikey })
  const account = await createPhone(world, 'Owner')
  const created = await callAs(adminKey).post('/instance/create', {
    instanceName: NAME,
    integration: 'WHATSAPP-BAILEYS',
    token: TOKEN,
    qrcode: true,
    groupsIgnore: false,
    webhook: { url: `http://${place}/hook`, byEvents: false, base64: false, headers: { 'x-shop': 'one' } },
  })
  await world.sim('POST', `/phones/${account}/scan`, { qr: created.body.qrcode.code })
  const own = callAs(TOKEN)
  await until(async () => (await own.get(nameIn('/instance/connectionState'))).body.instance.state === 'open')
  const friend = await createPhone(world, 'Ana')
  const scene = { world, adminKey, own, account, friend, created, place, posted, failing, callAs }
  return {
    ...scene,
    waitAt: (path, matches) => until(() => posted.find((one) => one.path === path && matches(one.body))),
  }
}
