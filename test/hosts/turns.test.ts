// Two hosts with one store that lose their links in turn while people write: every message is reported once.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkUnguarded, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { findHostRecord, type RunningHost, type SharedStore, startHost, startSharedStore } from './hosts.ts'
import { startProxy, type TcpProxy } from './proxy.ts'
import { Watch } from './watch.ts'

const DEVICES = 6
/** Each of them loses its link twice: once cut, once half open. */
const TURNS = 4

interface Place {
  host: RunningHost
  proxy: TcpProxy
}

let world: World
let receiver: Receiver
let store: SharedStore
let watch: Watch
let devices: LinkedDevice[]
const places: Place[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  store = await startSharedStore()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LEASE_MS: '3000' })
  // The gateway's own host has a store of its own: it takes no part.
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
  watch = new Watch(world, receiver, await createPhone(world, 'Friend'))
  const { hostname, port } = new URL(world.run.baseUrl)
  for (let n = 0; n < 2; n++) {
    const proxy = await startProxy({ host: hostname, port: Number(port) })
    const host = await startHost(world, { store, slots: DEVICES * 2, edge: proxy.place })
    places.push({ host, proxy })
  }
  const linking = Array.from({ length: DEVICES }, async (_, n) => {
    const device = await createDevice(world, `device ${n}`)
    await subscribeReceiver(device, receiver, ['messages'])
    return linkUnguarded(world, device, 90_000)
  })
  devices = await Promise.all(linking)
}, 120_000)

afterAll(async () => {
  for (const { host, proxy } of places) {
    await host.close()
    await proxy.close()
  }
  await world?.close()
  await store?.close()
  await receiver?.close()
})

test('events in flight when a link is lost are reported by the other host', {
  timeout: 120_000,
}, async () => {
  const begun = Date.now()
  const stopWriting = watch.writeToDevices(devices, 250)
  for (let turn = 0; turn < TURNS; turn++) {
    const [loser, other] = turn % 2 === 0 ? places : places.toReversed()
    if (!loser || !other) throw new Error('there are two hosts')
    if (turn < TURNS / 2) loser.proxy.cutConnections()
    else loser.proxy.stallConnections()
    await watch.waitUntilAllOn(devices, (id) => id === other.host.id, 30_000)
    loser.proxy.restoreConnections()
    await until(async () => (await findHostRecord(world, loser.host.id)).live)
  }
  await watch.expectEachOnce(devices, await stopWriting())
  // One socket at a time, however often they changed hosts.
  for (const device of devices) {
    expect((await watch.listLoginsSince(device, begun)).length).toBeGreaterThanOrEqual(TURNS - 1)
  }
})
