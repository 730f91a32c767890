// What more webhooks of an instance cost: the delay at those that are well beside three that are not, and processor time of the edge.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { requestFromChild } from './bad-child.ts'
import { computePercentiles, countSecondsUntil } from './load.ts'
import { createMaxRatioMeasure, type Measure } from './measure.ts'
import { readProcessTime } from './process-time.ts'

const manners = ['hang', 'gone', 'slow'] as const
const DEVICES = 10
const A_SECOND = 50
const EVENTS = 500
/** Each device of a burst gets so many messages. */
const BURST = 40
const ROUNDS = 4
/** Beside the first. */
const MAX_OTHERS = 4

interface Stage {
  world: World
  receiver: Receiver
  /** Those of `manners`, in that order. */
  bad: string[]
  devices: LinkedDevice[]
  friend: string
  child: ChildProcess
}

export async function measureDestinations(note: (text: string) => void): Promise<Measure[]> {
  const stage = await startStage()
  try {
    note('one that hangs, one that is gone and a slow one beside two that are well …')
    const delays = await measureDelays(stage)
    note('an event with one webhook, and with five …')
    return [...delays, await measureCost(stage, 'burst'), await measureCost(stage, '50 a second')]
  } finally {
    stage.child.kill()
    await stage.world.close()
    await stage.receiver.close()
  }
}

async function startStage(): Promise<Stage> {
  const receiver = await startReceiver()
  const child = fork(join(import.meta.dirname, 'bad-process.ts'))
  await requestFromChild(child)
  const request = { manners, elsewhere: receiver.url }
  const { urls: bad } = await requestFromChild<{ urls: string[] }>(child, request)
  const places = [receiver.place, ...bad.map((url) => new URL(url).host)]
  const world = await startWorld({ WEBHOOK_ALLOWLIST: places.join(), LOG_LEVEL: 'warn', ...unlimited })
  const devices: LinkedDevice[] = []
  for (let n = 0; n < DEVICES; n++) {
    const device = await createDevice(world, `Destinations ${n}`)
    await subscribeReceiver(device, receiver, ['messages'])
    devices.push(await linkDevice(world, device))
  }
  return { world, receiver, bad, devices, friend: await createPhone(world, 'Writer'), child }
}

/** The same flow of events by turns: two webhooks that are well, and the same two beside the three. */
async function measureDelays(stage: Stage): Promise<Measure[]> {
  const { receiver, bad } = stage
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    await setOthers(stage, [receiver.url])
    const without = await measureSteadyFlow(stage, 2)
    await setOthers(stage, [...bad, receiver.url])
    const among = await measureSteadyFlow(stage, 2)
    // The first of each warms up.
    if (round === 0) continue
    alone.push(...without)
    beside.push(...among)
  }
  const [of, against] = [beside, alone].map(computePercentiles)
  const createDelayMeasure = (name: 'p50' | 'p99') =>
    createMaxRatioMeasure(
      `${name} of the well webhooks beside a hanging, a gone and a slow one, ms, against alone`,
      of?.[name] ?? Number.NaN,
      against?.[name] ?? Number.NaN,
      1.3,
    )
  return [createDelayMeasure('p50'), createDelayMeasure('p99')]
}

/** Milliseconds from when each message was written until it came; `times` to each of so many webhooks. */
async function measureSteadyFlow(
  { world, receiver, devices, friend }: Stage,
  times: number,
): Promise<number[]> {
  const before = receiver.deliveries.length
  const sentAt = new Map<string, number>()
  const began = Date.now()
  for (let n = 0; n < EVENTS; n++) {
    const due = began + (n * 1000) / A_SECOND
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())))
    const text = `steady ${before} ${n}`
    sentAt.set(text, Date.now())
    await world.sim('POST', '/messages', { from: friend, to: devices[n % DEVICES]?.number, text })
  }
  await countSecondsUntil(() => receiver.deliveries.length - before, times * EVENTS)
  return receiver.deliveries.slice(before).map(({ at, envelope }) => {
    return at - (sentAt.get((envelope.message as { text: string }).text) ?? Number.NaN)
  })
}

/** Processor time of the edge for each webhook beside the first, against that of an event with one webhook. */
async function measureCost(stage: Stage, flow: 'burst' | '50 a second'): Promise<Measure> {
  const { receiver } = stage
  const spent: { one: number[]; five: number[] } = { one: [], five: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, others] of [['one', 0] as const, ['five', MAX_OTHERS] as const]) {
      await setOthers(stage, Array<string>(others).fill(receiver.url))
      const ms = await measureEdge(stage, flow, 1 + others)
      if (round > 0) spent[name].push(ms)
    }
  }
  const computeMean = (all: number[]) => all.reduce((sum, ms) => sum + ms, 0) / all.length
  const one = computeMean(spent.one)
  const each = (computeMean(spent.five) - one) / MAX_OTHERS
  return createMaxRatioMeasure(
    `edge, CPU ms for each webhook beside the first (${flow}), against one event`,
    each,
    one,
    1,
  )
}

/** CPU milliseconds of the edge an event that goes to so many webhooks. */
async function measureEdge(stage: Stage, flow: 'burst' | '50 a second', webhooks: number): Promise<number> {
  const pid = stage.world.findPid('edge')
  const before = readProcessTime(pid)
  if (flow === 'burst') await runBurst(stage, webhooks)
  else await measureSteadyFlow(stage, webhooks)
  return (readProcessTime(pid) - before) / (flow === 'burst' ? BURST * DEVICES : EVENTS)
}

async function runBurst({ world, receiver, devices, friend }: Stage, webhooks: number): Promise<void> {
  const before = receiver.deliveries.length
  await Promise.all(
    devices.map(({ number }) =>
      world.sim('POST', '/messages', { from: friend, to: number, text: 'burst', count: BURST }),
    ),
  )
  await countSecondsUntil(() => receiver.deliveries.length - before, webhooks * BURST * DEVICES)
}

/** Every device has these webhooks beside its first, and no others. */
async function setOthers({ devices }: Stage, urls: string[]): Promise<void> {
  await Promise.all(
    devices.map(async ({ caller }) => {
      const { webhooks } = (await caller.get('/v1/webhooks')).body
      for (const { id, first } of webhooks as { id: string; first: boolean }[])
        if (!first) await caller.request('DELETE', `/v1/webhooks/${id}`)
      for (const url of urls) await caller.post('/v1/webhooks', { url, events: ['messages'] })
    }),
  )
}
