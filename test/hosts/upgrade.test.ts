// A rolling upgrade under load: three hosts in two regions, and every process of the gateway is started again once.
// @module-tag slow

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDice } from '../chaos/dice.ts'
import { startTraffic, type Traffic, type TrafficRequest } from '../chaos/traffic.ts'
import { checkTraffic } from '../chaos/verdict.ts'
import {
  createDevice,
  type LinkedDevice,
  linkDevice,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { findHostRecord, type RunningHost, type SharedStore, startHost, startSharedStore } from './hosts.ts'

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
  // The gateway's own host does not share its store: it is not part of this.
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)

  const [south, north] = [await startSharedStore(), await startSharedStore()]
  stores.push(south, north)
  // Full before the others are there, so that each region has its share.
  hosts.push(await startHost(world, { store: south, slots: SOUTH, region: 'south' }))
  await linkDevices(SOUTH)
  for (let n = 0; n < 2; n++)
    hosts.push(await startHost(world, { store: north, slots: NORTH, region: 'north' }))
  await linkDevices(NORTH)
}, 240_000)

afterAll(async () => {
  for (const host of hosts) await host.close()
  await world?.close()
  for (const store of stores) await store.close()
  await receiver?.close()
})

async function linkDevices(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const device = await createDevice(world, `Device ${n}`)
    await subscribeReceiver(device, receiver, ['messages', 'messages_update'])
    devices.push(await linkDevice(world, device, LINKED_WITHIN_MS))
  }
}

/** What a service manager gives a process to end by itself. The edge's runtime waits for its last connection, and a link lasts. */
const GRACE_MS = 5000

/** A part that `npm start` looks after is ended, and started again by it. */
async function restartPart(name: 'edge'): Promise<void> {
  const before = world.findPid(name)
  const waitUntilReplaced = (within: number) => until(() => world.run.parts[name] !== before, { within })
  process.kill(before, 'SIGTERM')
  await waitUntilReplaced(GRACE_MS).catch(() => {
    // It may have ended, and the one in its place needs longer than that on a busy machine.
    if (existsSync(`/proc/${before}`)) process.kill(before, 'SIGKILL')
    return waitUntilReplaced(60_000)
  })
  await until(async () => (await fetch(`${world.run.baseUrl}/health/ready`)).ok, { within: 60_000 })
}

/** It gives its sessions to a host that shares its store, ends, and comes back. */
async function drainAndRestart(host: RunningHost, alone: boolean): Promise<void> {
  expect((await world.admin.post(`/v1/hosts/${host.id}/drain`)).status).toBe(200)
  if (!alone)
    await until(async () => (await findHostRecord(world, host.id)).sessions === 0, { within: 60_000 })
  await host.restart()
  expect((await findHostRecord(world, host.id)).draining).toBe(false)
  for (const device of devices) await waitUntilConnected(device, LINKED_WITHIN_MS)
}

/** Every key used so far has an answer, and new ones have been used since. */
async function startChaosTraffic(traffic: Traffic): Promise<void> {
  const { length } = traffic.requests
  await until(() => traffic.requests.length > length + devices.length, { within: 60_000 })
}

/** The responses after which docs/run/upgrade.md says that callers retry. */
function listDocumentedRetryable(): Set<string> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/run/upgrade.md'), 'utf8')
  return new Set(
    Array.from(page.matchAll(/^\| (\d{3}) `(\w+)` \|/gm), ([, status, code]) => `${status} ${code}`),
  )
}

/** Seconds over which the scheduled messages are spread: some are due while a process is away. */
const SPREAD_SECONDS = 120

/** A text of each device at a time; returns them by the ids of their messages. */
async function scheduleTexts(number: string): Promise<Map<string, string>> {
  const begin = Date.now() + 5000
  const found = devices.map(async ({ id, caller }, n): Promise<[string, string]> => {
    const sendAt = new Date(begin + (n * SPREAD_SECONDS * 1000) / devices.length).toISOString()
    const { status, body } = await caller.post('/send/text', { number, text: `at a time ${id}`, sendAt })
    expect([status, body.status]).toEqual([200, 'Scheduled'])
    return [body.messageid, body.text]
  })
  return new Map(await Promise.all(found))
}

/** Each is sent once; or not at all, if its host ended just as it left, and then says so. */
async function expectScheduledOnce(number: string, scheduled: Map<string, string>): Promise<void> {
  const isUnknown = (id: string) =>
    receiver.deliveries.some(({ envelope }) => {
      const { type, state, event } = envelope as {
        type?: string
        state?: string
        event?: { MessageIDs?: string[] }
      }
      return type === 'SendReceipt' && state === 'Pending' && event?.MessageIDs?.[0] === id
    })
  const countArrivals = async () => {
    const { messages } = await world.sim('GET', `/phones/${number}/inbox`)
    return Map.groupBy(messages as { text: string }[], ({ text }) => text)
  }
  await until(
    async () => {
      const arrived = await countArrivals()
      return [...scheduled].every(([id, text]) => arrived.has(text) || isUnknown(id))
    },
    { within: 60_000 },
  )
  const arrived = await countArrivals()
  expect([...scheduled.values()].filter((text) => (arrived.get(text)?.length ?? 0) > 1)).toEqual([])
}

test('restarting every process under load loses and repeats nothing, and callers get documented retryable codes only', {
  timeout: 600_000,
}, async () => {
  const [south, ...north] = hosts
  const traffic = await startTraffic(world, devices, createDice(15), RATE)
  onTestFinished(() => traffic.stop())
  await startChaosTraffic(traffic)
  const scheduled = await scheduleTexts(traffic.friend)
  const edge = { from: Date.now(), to: 0 }
  await restartPart('edge')
  edge.to = Date.now()
  await startChaosTraffic(traffic)
  for (const host of north) await drainAndRestart(host, false)
  await startChaosTraffic(traffic)
  if (south) await drainAndRestart(south, true)
  await startChaosTraffic(traffic)
  await traffic.stop()
  await expectScheduledOnce(traffic.friend, scheduled)

  const verdict = await checkTraffic(world, { devices, receiver, traffic, past: 0 })
  expect(verdict, JSON.stringify(verdict)).toMatchObject({
    missing: 0,
    altered: 0,
    doubled: 0,
    untrue: 0,
    stuckKeys: 0,
    toPairAgain: 0,
    gaps: 0,
  })
  expect(verdict.messages).toBeGreaterThan(100)
  expect(traffic.sends.filter(({ outcome }) => outcome === 'sent').length).toBeGreaterThan(devices.length)

  const retryable = listDocumentedRetryable()
  const checkTrafficWhileAway = ({ began, ended }: TrafficRequest) => began <= edge.to && ended >= edge.from
  const odd = traffic.requests.filter(
    (request) =>
      request.description !== '200' &&
      !retryable.has(request.description) &&
      !(request.description === 'no response' && checkTrafficWhileAway(request)),
  )
  expect(odd).toEqual([])
  const byResponse = Map.groupBy(traffic.requests, ({ description }) => description)
  console.log(
    Object.fromEntries([...byResponse].map(([description, times]) => [description, times.length])),
    verdict,
  )

  // A refusal is certainly without effect, also in the middle of an upgrade.
  const { messages: inbox } = await world.sim('GET', `/phones/${traffic.friend}/inbox`)
  const arrived = new Set((inbox as { text: string }[]).map(({ text }) => text))
  const refused = traffic.sends.filter(({ outcome }) => outcome === 'refused')
  expect(refused.filter(({ word }) => arrived.has(word))).toEqual([])
})
