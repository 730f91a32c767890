// What one message costs the stores of edge and host, in statements and commits: one more is seen when it comes. Who means to change
// it changes the figures here.

import { expect, test } from 'vitest'
import { readStoreCounts } from '../bench/cost.ts'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

type Counts = Awaited<ReturnType<typeof readStoreCounts>>
const names = [
  ...(['edge calls', 'edge statements', 'edge commits'] as const),
  ...(['host statements', 'host commits'] as const),
] as const

const scene = await borrowScene()
const { world, device } = scene
const friend = await createPhone(world)

/** The edge's metrics ask its database, and so count their own reading. */
const READING: Partial<Counts> = { 'edge calls': 1, 'edge statements': 3 }
/** One after the other that have found nothing more: then what was caused before is over. */
const QUIET_READINGS = 10
/** What runs by a timer of its own falls into some. */
const TRIES = 4

const subtract = (more: Counts, less: Counts, readings: number): Counts =>
  Object.fromEntries(
    names.map((name) => [name, more[name] - less[name] - readings * (READING[name] ?? 0)]),
  ) as Counts

/** Without what the readings themselves have added. */
async function countUntilQuiet(before: Counts): Promise<{ added: Counts; last: Counts }> {
  let last = before
  let [readings, quiet] = [0, 0]
  return until(async () => {
    const next = await readStoreCounts(world)
    readings += 1
    const isQuiet = Object.values(subtract(next, last, 1)).every((count) => count === 0)
    quiet = isQuiet ? quiet + 1 : 0
    last = next
    return quiet === QUIET_READINGS && { added: subtract(next, before, readings), last }
  })
}

async function countFewest(work: (text: string) => Promise<unknown>): Promise<Counts> {
  const tries: Counts[] = []
  for (let n = 0; n < TRIES; n++) {
    const { last } = await countUntilQuiet(await readStoreCounts(world))
    await work(`message-${n}`)
    tries.push((await countUntilQuiet(last)).added)
  }
  return Object.fromEntries(
    names.map((name) => [name, Math.min(...tries.map((counts) => counts[name]))]),
  ) as Counts
}

test('a message that comes in until it is delivered takes so many statements and commits', async () => {
  const cost = await countFewest(async (text) => {
    await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    await scene.waitForEvent('messages', ({ message }) => message.text === text)
  })
  expect(cost).toEqual({
    'edge calls': 2,
    'edge statements': 7,
    'edge commits': 2,
    'host statements': 7,
    'host commits': 3,
  })
})

test('a keyed send takes so many statements and commits', async () => {
  const cost = await countFewest(async (text) => {
    const sent = await device.caller.post('/send/text', { number: friend, text }, { 'idempotency-key': text })
    expect(sent).toMatchObject({ status: 200 })
    await until(async () => {
      const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
      return (messages as { text: string }[]).some((message) => message.text === text)
    })
  })
  expect(cost).toEqual({
    'edge calls': 4,
    'edge statements': 12,
    'edge commits': 4,
    'host statements': 12,
    'host commits': 3,
  })
})
