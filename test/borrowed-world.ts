// Gateways that serve one test file after another: a process of the tests starts one for each set of variables that its files
// ask for, and a file returns it without instances, phones, faults, admin tokens, other hosts or a webhook of the server.
//
// For files that neither end nor freeze a part, nor read what the gateway printed, nor change what is for all its instances.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { ApiResponse } from './caller.ts'
import { reservedPlaces } from './reserved-ports.ts'
import { readRunFolder } from './started-gateways.ts'
import { asDeployed, openWorld, type SharedWorld, startWorld, type World } from './world.ts'

/** Each is 250 MB of memory. */
const MAX_UNUSED = 3
/** To delete more takes longer than to start another gateway. */
const MAX_INSTANCES = 100

interface Lendable {
  /** Its variables. */
  key: string
  world: World
}

/** The one that was given back last is the first. */
const unused: Lendable[] = []
/** How many files asked for each key. */
const requests = new Map<string, number>()

/** A gateway until it is closed, which gives it back; it may deliver to every receiver of the tests. */
export interface BorrowedWorld extends SharedWorld {
  close(): Promise<void>
}

export async function borrowWorld(env: Record<string, string> = {}): Promise<BorrowedWorld> {
  const key = JSON.stringify(Object.entries(env).sort())
  requests.set(key, (requests.get(key) ?? 0) + 1)
  const place = unused.findIndex((lendable) => lendable.key === key)
  const [found] = place < 0 ? [] : unused.splice(place, 1)
  const lendable = found ?? { key, world: await startLendable(env) }
  let released: Promise<void> | undefined
  return Object.assign(openWorld(lendable.world.dataDir, env.ADMIN_TOKEN), {
    close: () => (released ??= releaseWorld(lendable)),
  })
}

/** The same until the last test of the file is over. */
export async function borrowForFile(env?: Record<string, string>): Promise<SharedWorld> {
  const world = await borrowWorld(env)
  afterAll(() => world.close())
  return world
}

function startLendable(env: Record<string, string>): Promise<World> {
  // It ends with this process, and its folder is deleted after the run.
  const dataDir = mkdtempSync(join(readRunFolder(), 'gateway-'))
  return startWorld({ WEBHOOK_ALLOWLIST: reservedPlaces, ...env }, undefined, undefined, dataDir)
}

async function releaseWorld(lendable: Lendable): Promise<void> {
  // There objects are evicted all the time, and each file has a gateway of its own.
  if (asDeployed) return lendable.world.close()
  try {
    await clearWorld(lendable.world)
  } catch (error) {
    console.log('a gateway is not lent again, because it cannot be cleared:', error)
    await lendable.world.close()
    return
  }
  unused.unshift(lendable)
  if (unused.length <= MAX_UNUSED) return
  // What few files asked for is the least likely to be asked for again.
  unused.sort((one, other) => countRequests(other) - countRequests(one))
  await unused.pop()?.world.close()
}

const countRequests = ({ key }: Lendable): number => requests.get(key) ?? 0

/** Of a gateway that speaks another dialect too. */
const OWN_FORM = { accept: 'application/json;profile=contract' }

async function clearWorld(world: SharedWorld): Promise<void> {
  const { admin } = world
  await world.sim('DELETE', '/faults')
  const instances: { id: string }[] = (await admin.get('/instance/all', OWN_FORM)).body
  if (instances.length > MAX_INSTANCES) throw new Error(`${instances.length} instances take long to delete`)
  for (const response of await Promise.all(
    instances.map(({ id }) => admin.delete('/instance', { ...OWN_FORM, instance: id })),
  ))
    expectDone(response)
  await clearServer(world)
  await world.sim('POST', '/reset')
}

/** What is for all instances. */
async function clearServer({ admin, queryDatabase }: SharedWorld): Promise<void> {
  const { tokens } = expectDone(await admin.get('/v1/tokens', OWN_FORM)).body
  for (const { id } of tokens) expectDone(await admin.delete(`/v1/tokens/${id}`, OWN_FORM))
  // Its own host is linked; those that a file registered never were.
  const { hosts } = expectDone(await admin.get('/v1/hosts', OWN_FORM)).body
  for (const { id, live, draining } of hosts) {
    if (!live) expectDone(await admin.delete(`/v1/hosts/${id}`, OWN_FORM))
    // It takes no instances until an operator ends that.
    else if (draining) expectDone(await admin.delete(`/v1/hosts/${id}/drain`, OWN_FORM))
  }
  // The edge hears of its deletion. The row, which says that it was deleted, is for the next setting of the environment.
  if ((await queryDatabase('SELECT id FROM server_webhook')).length > 0) {
    expectDone(await admin.post('/v1/webhook', { action: 'delete' }, OWN_FORM))
    await queryDatabase('DELETE FROM server_webhook')
  }
}

function expectDone(response: ApiResponse): ApiResponse {
  if (response.status !== 200) throw new Error(`a response of ${response.status}: ${response.text}`)
  return response
}
