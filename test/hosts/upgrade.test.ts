// A rolling upgrade under load: three hosts in two regions, and every process of the gateway is started again once.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDice } from '../chaos/dice.ts'
import { type Asked, startTraffic, type Traffic } from '../chaos/traffic.ts'
import { judge } from '../chaos/verdict.ts'
import { connected, type LinkedDevice, link, makeDevice, subscribe } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type RunningHost, recordOf, type SharedStore, startHost, startSharedStore } from './hosts.ts'

const NORTH = 20
const SOUTH = 10
/** Of messages to the devices, beside a keyed send or so a second from each of them. */
const RATE = 40
const LINKED_WITHIN_MS = 60_000

let world: World
let receiver: Receiver
const stores: SharedStore[] = []
const hosts: RunningHost[] = []
const devices: LinkedDevice[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
  // The gateway's own host shares its store with nobody: it takes no part.
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)

  const [south, north] = [await startSharedStore(), await startSharedStore()]
  stores.push(south, north)
  // Full before the others are there, so that each region has its share.
  hosts.push(await startHost(world, { store: south, slots: SOUTH, region: 'south' }))
  await linkSome(SOUTH)
  for (let n = 0; n < 2; n++)
    hosts.push(await startHost(world, { store: north, slots: NORTH, region: 'north' }))
  await linkSome(NORTH)
}, 240_000)

afterAll(async () => {
  for (const host of hosts) await host.close()
  await world?.close()
  for (const store of stores) await store.close()
  await receiver?.close()
})

async function linkSome(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const device = await makeDevice(world, `Device ${n}`)
    await subscribe(device, receiver, ['messages', 'messages_update'])
    devices.push(await link(world, device, LINKED_WITHIN_MS))
  }
}

/** What a service manager gives a process to end by itself. The edge's runtime waits for its last connection, and a link lasts. */
const GRACE_MS = 5000

/** A part that `npm start` looks after is ended, and started again by it. */
async function restartPart(name: 'edge'): Promise<void> {
  const before = world.pid(name)
  const replaced = (within: number) => until(() => world.run.parts[name] !== before, { within })
  process.kill(before, 'SIGTERM')
  await replaced(GRACE_MS).catch(() => {
    process.kill(before, 'SIGKILL')
    return replaced(60_000)
  })
  await until(async () => (await fetch(`${world.run.baseUrl}/health/ready`)).ok, { within: 60_000 })
}

/** It gives its sessions to whoever shares its store, ends, and comes back. */
async function drainAndRestart(host: RunningHost, alone: boolean): Promise<void> {
  expect((await world.admin.post(`/v1/hosts/${host.id}/drain`)).status).toBe(200)
  if (!alone) await until(async () => (await recordOf(world, host.id)).sessions === 0, { within: 60_000 })
  await host.restart()
  expect((await recordOf(world, host.id)).draining).toBe(false)
  for (const device of devices) await connected(device, LINKED_WITHIN_MS)
}

/** Every key used so far has an answer, and new ones have been used since. */
async function someTraffic(traffic: Traffic): Promise<void> {
  const { length } = traffic.asked
  await until(() => traffic.asked.length > length + devices.length, { within: 60_000 })
}

/** The answers that docs/upgrade.md tells callers to ask again after. */
function documentedRetryable(): Set<string> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/upgrade.md'), 'utf8')
  return new Set(
    Array.from(page.matchAll(/^\| (\d{3}) `(\w+)` \|/gm), ([, status, code]) => `${status} ${code}`),
  )
}

test('every process is started again once under load: nothing is lost or doubled, callers hear documented retryable codes only', {
  timeout: 600_000,
}, async () => {
  const [south, ...north] = hosts
  const traffic = await startTraffic(world, devices, makeDice(15), RATE)
  await someTraffic(traffic)
  const edge = { from: Date.now(), to: 0 }
  await restartPart('edge')
  edge.to = Date.now()
  await someTraffic(traffic)
  for (const host of north) await drainAndRestart(host, false)
  await someTraffic(traffic)
  if (south) await drainAndRestart(south, true)
  await someTraffic(traffic)
  await traffic.stop()

  const verdict = await judge(world, devices, receiver, traffic)
  expect(verdict, JSON.stringify(verdict)).toMatchObject({
    ...{ lost: 0, altered: 0, doubled: 0, untrue: 0, stuckKeys: 0, toPairAgain: 0, gaps: 0 },
  })
  expect(verdict.messages).toBeGreaterThan(100)
  expect(traffic.sends.filter(({ outcome }) => outcome === 'sent').length).toBeGreaterThan(devices.length)

  const retryable = documentedRetryable()
  const whileEdgeWasAway = ({ began, ended }: Asked) => began <= edge.to && ended >= edge.from
  const odd = traffic.asked.filter(
    (asked) =>
      asked.said !== '200' &&
      !retryable.has(asked.said) &&
      !(asked.said === 'no answer' && whileEdgeWasAway(asked)),
  )
  expect(odd).toEqual([])
  const heard = Map.groupBy(traffic.asked, ({ said }) => said)
  console.log(Object.fromEntries([...heard].map(([said, times]) => [said, times.length])), verdict)

  // A refusal is certainly without effect, also in the middle of an upgrade.
  const { messages: inbox } = await world.sim('GET', `/phones/${traffic.friend}/inbox`)
  const arrived = new Set((inbox as { text: string }[]).map(({ text }) => text))
  const refused = traffic.sends.filter(({ outcome }) => outcome === 'refused')
  expect(refused.filter(({ text }) => arrived.has(text))).toEqual([])
})
