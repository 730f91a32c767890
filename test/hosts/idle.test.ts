// A host that dies with sessions that are linked and not connected: they stay closed until a request needs them.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { findHostRecord, type RunningHost, type SharedStore, startHost, startSharedStore } from './hosts.ts'

let world: World
let store: SharedStore
let devices: LinkedDevice[]
const hosts: RunningHost[] = []

beforeAll(async () => {
  store = await startSharedStore()
  world = await startWorld()
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
  hosts.push(await startHost(world, { store, slots: 2 }))
  devices = await Promise.all([1, 2].map(async () => linkDevice(world, await createDevice(world))))
  hosts.push(await startHost(world, { store, slots: 2 }))
}, 60_000)

afterAll(async () => {
  for (const host of hosts) await host.close()
  await world?.close()
  await store?.close()
})

test('connect opens disconnected sessions on the other host without pairing', {
  timeout: 90_000,
}, async () => {
  const [dying, other] = hosts
  for (const device of devices) {
    await world.sim('POST', '/faults', { kind: 'close', number: device.number, code: 440, count: 1 })
    await until(async () => {
      const { instance } = (await device.caller.get('/instance/status')).body
      return instance.status === 'disconnected' && instance.lastDisconnectReason === 'replaced'
    })
  }
  dying?.child.kill('SIGKILL')
  await until(async () => !(await findHostRecord(world, dying?.id ?? '')).live, { within: 40_000 })
  expect((await findHostRecord(world, other?.id ?? '')).sessions).toBe(0)
  for (const device of devices) {
    const response = await device.caller.post('/instance/connect')
    expect([response.status, response.body.loggedIn]).toEqual([200, true])
  }
  expect(await world.queryDatabase(`select distinct host_id from instances`)).toEqual([
    { host_id: other?.id },
  ])
})
