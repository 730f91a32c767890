// What thirty receivers that misbehave cost twenty that do not.

import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Manner } from '../delivery/bad-receiver.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { requestFromChild } from './bad-child.ts'
import { computePercentiles, countSecondsUntil } from './load.ts'
import { createMaxMeasure, type Measure } from './measure.ts'

const manners: Record<'hang' | 'drip' | 'endless' | 'redirect' | 'refuse', number> = {
  hang: 10,
  drip: 5,
  endless: 5,
  redirect: 5,
  refuse: 5,
}
/** One in five of the events is for one of the thirty. */
const A_SECOND = 50
const EVENTS = 500
const DEVICES = 50
const ROUNDS = 5

interface Crowd {
  healthy: Receiver
  /** The URL that the bad ones listen at. */
  bad: string[]
  /** Milliseconds that a client stayed with each bad receiver, at most. */
  measureLongestTurns(): Promise<number[]>
  close(): Promise<void>
}

/** Start it before the gateway, which needs their addresses. */
async function startCrowd(): Promise<Crowd> {
  const all = Object.entries(manners).flatMap(([manner, count]) =>
    Array<Manner>(count).fill(manner as Manner),
  )
  const healthy = await startReceiver()
  const child = fork(join(import.meta.dirname, 'bad-process.ts'))
  await requestFromChild(child)
  const { urls } = await requestFromChild<{ urls: string[] }>(child, { manners: all, elsewhere: healthy.url })
  return {
    healthy,
    bad: urls,
    measureLongestTurns: async () => (await requestFromChild<{ longest: number[] }>(child, {})).longest,
    async close() {
      child.kill()
      await healthy.close()
    },
  }
}

/** In a gateway of its own. */
export async function measureMisbehaving(): Promise<Measure[]> {
  const crowd = await startCrowd()
  const places = [crowd.healthy.place, ...crowd.bad.map((url) => new URL(url).host)]
  const world = await startWorld({ WEBHOOK_ALLOWLIST: places.join(), LOG_LEVEL: 'warn', ...unlimited })
  try {
    const devices: LinkedDevice[] = []
    for (let n = 0; n < DEVICES; n++)
      devices.push(await linkDevice(world, await createDevice(world, `Crowd ${n}`)))
    return await measureDelivery(world, devices, crowd)
  } finally {
    await world.close()
    await crowd.close()
  }
}

/** The same flow of events again and again; by turns the thirty behave and misbehave. */
async function measureDelivery(world: World, devices: LinkedDevice[], crowd: Crowd): Promise<Measure[]> {
  const { bad, healthy } = crowd
  const thirty = devices.slice(0, bad.length)
  const twenty = devices.slice(bad.length)
  for (const device of twenty) await subscribeReceiver(device, healthy, ['messages'])
  const friend = await createPhone(world, 'Crowd')

  const measureRound = async (name: string): Promise<number[]> => {
    const sentAt = new Map<string, number>()
    const before = healthy.deliveries.length
    const listArrivals = () =>
      healthy.deliveries.slice(before).flatMap(({ at, envelope }) => {
        const sent = sentAt.get((envelope.message as { text: string }).text)
        return sent === undefined ? [] : [at - sent]
      })
    const began = Date.now()
    for (let n = 0; n < EVENTS; n++) {
      const due = began + (n * 1000) / A_SECOND
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())))
      const to = n % 5 === 0 ? thirty[(n / 5) % thirty.length] : twenty[n % twenty.length]
      const text = `${name} ${n}`
      if (n % 5 !== 0) sentAt.set(text, Date.now())
      await world.sim('POST', '/messages', { from: friend, to: to?.number, text })
    }
    await countSecondsUntil(() => listArrivals().length, sentAt.size)
    return listArrivals()
  }

  const alone: number[] = []
  const during: number[] = []
  for (let n = 0; n <= ROUNDS; n++) {
    for (const device of thirty) await subscribeReceiver(device, healthy, ['messages'])
    const behaving = await measureRound(`alone ${n}`)
    for (const [i, device] of thirty.entries())
      await device.caller.post('/webhook', { url: bad[i], events: 'messages' })
    const misbehaved = await measureRound(`beside ${n}`)
    // The first of each warms up.
    if (n > 0) alone.push(...behaving)
    if (n > 0) during.push(...misbehaved)
  }
  const longest = await until(
    async () => {
      const each = await crowd.measureLongestTurns()
      return each.every((ms) => ms > 0) && Math.max(...each)
    },
    { within: 60_000 },
  )
  return [
    createMaxMeasure(
      'p99 of 20 healthy receivers beside 30 bad ones, in ms, against 1.3 of it alone',
      computePercentiles(during).p99,
      computePercentiles(alone).p99 * 1.3,
    ),
    createMaxMeasure('longest attempt at a bad receiver, in s', longest / 1000, 15.5),
  ]
}
