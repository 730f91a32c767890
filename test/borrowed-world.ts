// Gateways that serve one test file after another: the run lends one to a file that asks for its set of variables
// (`gateway-lender.ts`), and the file returns it without instances, phones, faults, admin tokens, other hosts or a webhook of the server.
//
// For files that neither end nor freeze a part, nor read what the gateway printed, nor change what is for all its instances.

import { afterAll } from 'vitest'
import type { ApiResponse } from './caller.ts'
import type { Return, Wish } from './gateway-lender.ts'
import { reservedPlaces } from './reserved-ports.ts'
import { findTestFile, readLenderUrl } from './started-gateways.ts'
import { asDeployed, openWorld, type SharedWorld } from './world.ts'

/** To delete more takes longer than to start another gateway. */
const MAX_INSTANCES = 100

/** A gateway until it is closed, which gives it back; it may deliver to every receiver of the tests. */
export interface BorrowedWorld extends SharedWorld {
  close(): Promise<void>
}

export async function borrowWorld(env: Record<string, string> = {}): Promise<BorrowedWorld> {
  const wish: Wish = { env: { WEBHOOK_ALLOWLIST: reservedPlaces, ...env }, file: findTestFile() }
  const { dataDir } = (await requestLender('borrow', wish)) as { dataDir: string }
  const world = openWorld(dataDir, env.ADMIN_TOKEN)
  let released: Promise<void> | undefined
  return Object.assign(world, { close: () => (released ??= releaseWorld(world)) })
}

/** The same until the last test of the file is over. */
export async function borrowForFile(env?: Record<string, string>): Promise<SharedWorld> {
  const world = await borrowWorld(env)
  afterAll(() => world.close())
  return world
}

async function releaseWorld(world: SharedWorld): Promise<void> {
  const returned: Return = { dataDir: world.dataDir, cleared: await tryToClear(world) }
  await requestLender('return', returned)
}

async function requestLender(act: 'borrow' | 'return', body: Wish | Return): Promise<unknown> {
  const response = await fetch(`${readLenderUrl()}/${act}`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

async function tryToClear(world: SharedWorld): Promise<boolean> {
  // There objects are evicted all the time, and each file has a gateway of its own.
  if (asDeployed) return false
  try {
    await clearWorld(world)
    return true
  } catch (error) {
    console.log('a gateway is not lent again, because it cannot be cleared:', error)
    return false
  }
}

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
