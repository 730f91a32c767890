// Hosts that share a store: if one fails, its sessions go on elsewhere, each with one socket at a time, and
// no message to them is lost or reported twice. All with the real lease of 30 s, at the same time.
// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { findHostRecord, type RunningHost, type SharedStore, startHost, startSharedStore } from './hosts.ts'
import { startProxy, type TcpProxy } from './proxy.ts'
import { Watch } from './watch.ts'

const EACH = 2
const SCENES = ['killed', 'ended', 'drained', 'frozen', 'cut', 'stalled'] as const
type Scene = (typeof SCENES)[number]

let world: World
let receiver: Receiver
let store: SharedStore
let watch: Watch
let taker: RunningHost
const hosts = new Map<Scene, RunningHost>()
const devices = new Map<Scene, LinkedDevice[]>()
const proxies = new Map<Scene, TcpProxy>()

const findValue = <Value>(map: Map<Scene, Value>, scene: Scene): Value => {
  const found = map.get(scene)
  if (!found) throw new Error(`nothing was made for ${scene}`)
  return found
}

beforeAll(async () => {
  receiver = await startReceiver()
  store = await startSharedStore()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'debug' })
  // The gateway's own host has a store of its own: it takes no part.
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  const drained = await world.admin.post(`/v1/hosts/${own.id}/drain`)
  expect([drained.status, drained.body.host.draining]).toEqual([200, true])
  watch = new Watch(world, receiver, await createPhone(world, 'Friend'))

  // One after another, each with as many slots as devices: the next device has only one possible host.
  const edge = new URL(world.run.baseUrl)
  for (const scene of SCENES) {
    if (scene === 'cut' || scene === 'stalled')
      proxies.set(scene, await startProxy({ host: edge.hostname, port: Number(edge.port) }))
    const place = proxies.get(scene)?.place
    const host = await startHost(world, { store, slots: EACH, ...(place && { edge: place }) })
    hosts.set(scene, host)
    const linked = await Promise.all(
      Array.from({ length: EACH }, async (_, n) => {
        const device = await createDevice(world, `${scene} ${n}`)
        await subscribeReceiver(device, receiver, ['messages'])
        return linkDevice(world, device)
      }),
    )
    devices.set(scene, linked)
  }
}, 120_000)

afterAll(async () => {
  for (const host of [...hosts.values(), ...(taker ? [taker] : [])]) await host.close()
  for (const proxy of proxies.values()) await proxy.close()
  await world?.close()
  await store?.close()
  await receiver?.close()
})

test('without a free slot connect is 429 worker_full, and a draining host gets no session', async () => {
  const device = await createDevice(world)
  const full = await device.caller.post('/instance/connect')
  expect([full.status, full.body.error]).toEqual([429, 'worker_full'])
  taker = await startHost(world, { store, slots: SCENES.length * EACH * 2 })
  const records = await Promise.all([...hosts.values(), taker].map(({ id }) => findHostRecord(world, id)))
  expect(new Set(records.map((record) => record.store)).size).toBe(1)
  expect(records.map(({ slots, sessions }) => [slots, sessions]).slice(0, -1)).toEqual(
    SCENES.map(() => [EACH, EACH]),
  )
})

/** A file of each device, which is due while no host has its session, or just after; returns their captions. */
async function scheduleFiles(from: LinkedDevice[]): Promise<string[]> {
  const sendAt = new Date(Date.now() + 3000).toISOString()
  const file = Buffer.alloc(300_000, 'a').toString('base64')
  return Promise.all(
    from.map(async ({ id, caller }) => {
      const message = { number: watch.friend, type: 'document', text: `at a time ${id}`, file, sendAt }
      const { status, body } = await caller.post('/send/media', message)
      expect([status, body.status]).toEqual([200, 'Scheduled'])
      return message.text
    }),
  )
}

/** Each came once. */
async function expectArrivals(captions: string[]): Promise<void> {
  const countArrivals = async () => {
    const { messages } = await world.sim('GET', `/phones/${watch.friend}/inbox`)
    const texts = (messages as { caption?: string }[]).map(({ caption }) => caption)
    return captions.map((caption) => texts.filter((text) => text === caption).length)
  }
  await until(async () => (await countArrivals()).every((times) => times > 0), { within: 20_000 })
  expect(await countArrivals()).toEqual(captions.map(() => 1))
}

describe.concurrent('a host that shares its store', () => {
  test('is killed: its sessions run on the other host within 40 s, each logged in once, no message missing or repeated', {
    timeout: 90_000,
  }, async () => {
    const [host, moved] = [findValue(hosts, 'killed'), findValue(devices, 'killed')]
    const captions = await scheduleFiles(moved)
    const stopWriting = watch.writeToDevices(moved, 1000)
    const killed = Date.now()
    host.child.kill('SIGKILL')
    await watch.waitUntilAllOn(moved, (id) => id !== host.id, 40_000)
    const written = await stopWriting()
    for (const device of moved) expect(await watch.listLoginsSince(device, killed)).toHaveLength(1)
    await watch.expectEachOnce(moved, written)
    await expectArrivals(captions)
  })

  test('is stopped: its sessions move within 20 s', { timeout: 60_000 }, async () => {
    const [host, moved] = [findValue(hosts, 'ended'), findValue(devices, 'ended')]
    const captions = await scheduleFiles(moved)
    const stopWriting = watch.writeToDevices(moved, 200)
    const began = Date.now()
    host.child.kill('SIGTERM')
    expect(await host.ended).toBe(0)
    expect(Date.now() - began).toBeLessThan(20_000)
    await watch.waitUntilAllOn(moved, (id) => id !== host.id, 20_000 - (Date.now() - began))
    const written = await stopWriting()
    for (const device of moved) expect(await watch.listLoginsSince(device, began)).toHaveLength(1)
    await watch.expectEachOnce(moved, written)
    await expectArrivals(captions)
    const ids = moved.map(({ id }) => `'${id}'`).join()
    await until(
      async () => (await store.queryRows(`select n from outbox where instance in (${ids})`)).length === 0,
    )
  })

  test('is drained by the operator: its sessions move and it keeps running', {
    timeout: 60_000,
  }, async () => {
    const [host, moved] = [findValue(hosts, 'drained'), findValue(devices, 'drained')]
    const captions = await scheduleFiles(moved)
    const stopWriting = watch.writeToDevices(moved, 200)
    const began = Date.now()
    await world.admin.post(`/v1/hosts/${host.id}/drain`)
    await watch.waitUntilAllOn(moved, (id) => id !== host.id, 20_000)
    const written = await stopWriting()
    for (const device of moved) expect(await watch.listLoginsSince(device, began)).toHaveLength(1)
    await watch.expectEachOnce(moved, written)
    await expectArrivals(captions)
    expect(host.child.exitCode).toBe(null)
    await until(async () => (await findHostRecord(world, host.id)).sessions === 0)
  })

  test('is frozen for 60 s: nothing is done under its old epoch', { timeout: 120_000 }, async () => {
    const [host, moved] = [findValue(hosts, 'frozen'), findValue(devices, 'frozen')]
    const captions = await scheduleFiles(moved)
    const stopWriting = watch.writeToDevices(moved, 2000)
    const frozen = Date.now()
    host.child.kill('SIGSTOP')
    await watch.waitUntilAllOn(moved, (id) => id !== host.id, 40_000)
    const late = await moved[0]?.caller.post('/send/text', { number: watch.friend, text: 'by the other' })
    expect(late?.status).toBe(200)
    await expectArrivals(captions)
    await until(() => Date.now() > frozen + 60_000, { within: 70_000 })
    const readSessions = () =>
      store.queryRows('select instance, holder, epoch, rev, wanted from sessions order by instance')
    const before = await readSessions()
    host.child.kill('SIGCONT')
    await until(async () => host.readOutput().includes('released'))
    const written = await stopWriting()
    expect((await readSessions()).map(({ holder, epoch }) => [holder, epoch])).toEqual(
      before.map(({ holder, epoch }) => [holder, epoch]),
    )
    await watch.expectEachOnce(moved, written)
    // The first host does not send them again.
    await expectArrivals(captions)
    for (const device of moved) {
      const logins = (await watch.listSockets(device)).filter(
        ({ what, at }) => what === 'login' && at > frozen,
      )
      expect(logins).toHaveLength(1)
      expect((await device.caller.get('/instance/status')).body.loggedIn).toBe(true)
    }
  })

  test.each(['cut', 'stalled'] as const)(
    'has its link %s for longer than the lease: it closes its sessions before the other opens them',
    { timeout: 120_000 },
    async (scene) => {
      const [host, moved, proxy] = [
        findValue(hosts, scene),
        findValue(devices, scene),
        findValue(proxies, scene),
      ]
      const captions = await scheduleFiles(moved)
      const stopWriting = watch.writeToDevices(moved, 1000)
      const broken = Date.now()
      if (scene === 'cut') proxy.cutConnections()
      else proxy.stallConnections()
      await watch.waitUntilAllOn(moved, (id) => id !== host.id, 40_000)
      for (const device of moved) {
        const [login] = await watch.listLoginsSince(device, broken)
        const closed = (await watch.listSockets(device)).findLast(
          ({ what, at }) => what === 'closed' && at < (login?.at ?? 0),
        )
        expect(closed?.at).toBeLessThan(broken + 30_000)
      }
      proxy.restoreConnections()
      await until(() => host.readOutput().includes('released'), { within: 20_000 })
      const written = await stopWriting()
      for (const device of moved) expect(await watch.listLoginsSince(device, broken)).toHaveLength(1)
      await watch.expectEachOnce(moved, written)
      await expectArrivals(captions)
      expect((await findHostRecord(world, host.id)).live).toBe(true)
    },
  )
})
