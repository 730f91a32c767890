// What one message costs the stores of edge and host, in statements and commits: one more is seen when it comes. Who means to change
// it changes the figures here. Those of the host are the most: whether a receipt of the same moment has a commit of its own is chance.

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
const QUIET_READINGS = 5
/** What runs by a timer of its own falls into some. */
const TRIES = 9

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

/** Of several tries the edge's second least, since two receipts may come in one batch or in two, and the host's middle one. What a try leaves for later, as rows that are deleted after a second, is counted in the next. */
async function countOne(work: (text: string) => Promise<unknown>): Promise<Counts> {
  const tries: Counts[] = []
  let { last } = await countUntilQuiet(await readStoreCounts(world))
  for (let n = 0; n < TRIES; n++) {
    await work(`message-${n}`)
    const counted = await countUntilQuiet(last)
    tries.push(counted.added)
    last = counted.last
  }
  const findUsual = (name: keyof Counts) =>
    tries.map((counts) => counts[name]).sort((a, b) => a - b)[name.startsWith('edge') ? 1 : TRIES >> 1]
  return Object.fromEntries(names.map((name) => [name, findUsual(name)])) as Counts
}

/** `edge`: calls, statements and commits. `host`: the most statements and commits. */
function expectCost(cost: Counts, { edge, host }: { edge: number[]; host: [number, number] }): void {
  expect([cost['edge calls'], cost['edge statements'], cost['edge commits']]).toEqual(edge)
  expect(cost['host statements']).toBeLessThanOrEqual(host[0])
  expect(cost['host commits']).toBeLessThanOrEqual(host[1])
}

test('a message that comes in until it is delivered takes so many statements and commits', async () => {
  const cost = await countOne(async (text) => {
    await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    await scene.waitForEvent('messages', ({ message }) => message.text === text)
  })
  expectCost(cost, { edge: [2, 7, 2], host: [8, 3] })
})

test('a keyed send takes so many statements and commits', async () => {
  const cost = await countOne(async (text) => {
    const sent = await device.caller.post('/send/text', { number: friend, text }, { 'idempotency-key': text })
    expect(sent).toMatchObject({ status: 200 })
    await until(async () => {
      const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
      return (messages as { text: string }[]).some((message) => message.text === text)
    })
  })
  expectCost(cost, { edge: [4, 12, 4], host: [13, 4] })
})
