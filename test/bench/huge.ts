// What a stranger's message of 10 MB costs the others of the host that it comes to.

import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { computePercentiles, countSecondsUntil } from './load.ts'
import { createMaxMeasure, type Measure } from './measure.ts'

const DEVICES = 20
const A_SECOND = 50
const SECONDS = 60
const WARM_UP_SECONDS = 10
const CHARACTERS = 10_000_000
/** From one minute to the next p99 is so many milliseconds more or less by chance. */
const CHANCE_MS = 30
/** The library alone stops for 168 to 215 ms: decrypting 10 MB, and the simulated network's part, are done in one piece. */
const SLOWEST_MS = 500

export interface FlowStage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  friend: string
}

/** In a gateway of its own: a minute without such a message, and one with it in the middle. */
export async function measureHuge(): Promise<Measure[]> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited })
  try {
    const victim = await linkDevice(world, await createDevice(world, 'Victim'))
    const devices: LinkedDevice[] = []
    for (let n = 0; n < DEVICES - 1; n++) {
      const device = await createDevice(world, `Neighbour ${n}`)
      await subscribeReceiver(device, receiver, ['messages'])
      devices.push(await linkDevice(world, device))
    }
    const [friend, stranger] = [await createPhone(world, 'Friend'), await createPhone(world, 'Stranger')]
    const stage = { world, receiver, devices, friend }
    // A first word, so that the large one needs no new session between the two.
    await world.sim('POST', '/messages', { from: stranger, to: victim.number, text: 'hello' })
    await measureFlow(stage, 'warm-up', WARM_UP_SECONDS)
    const before = await measureFlow(stage, 'before', SECONDS)
    const during = await measureFlow(stage, 'during', SECONDS, async () => {
      await subscribeReceiver(victim, receiver, ['messages'])
      const wish = { image: Buffer.from('a picture').toString('base64'), caption: '\u0001' }
      await world.sim('POST', '/messages', {
        ...wish,
        from: stranger,
        to: victim.number,
        captionRepeat: CHARACTERS,
      })
    })
    const listTruncated = () => receiver.deliveries.filter(({ envelope }) => envelope.truncated === true)
    await countSecondsUntil(() => listTruncated().length, 1, 30)
    const [alone, beside] = [computePercentiles(before).p99, computePercentiles(during).p99]
    return [
      createMaxMeasure(
        `p99 of a minute with a 10 MB message, ms, against that before + ${CHANCE_MS}`,
        beside,
        alone + CHANCE_MS,
      ),
      createMaxMeasure('the slowest of that minute, ms', Math.max(...during), SLOWEST_MS),
      createMaxMeasure('the slowest of the minute before, ms', Math.max(...before), SLOWEST_MS),
    ]
  } finally {
    await world.close()
    await receiver.close()
  }
}

/** Milliseconds from the word to the network until the receiver has it, of each message of a steady flow. */
export async function measureFlow(
  { world, receiver, devices, friend }: FlowStage,
  name: string,
  seconds: number,
  inTheMiddle?: () => Promise<void>,
): Promise<number[]> {
  const sentAt = new Map<string, number>()
  const first = receiver.deliveries.length
  const count = seconds * A_SECOND
  const written: Promise<unknown>[] = []
  const began = Date.now()
  for (let n = 0; n < count; n++) {
    const due = began + (n * 1000) / A_SECOND
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())))
    if (n === count / 2 && inTheMiddle) written.push(inTheMiddle())
    const text = `${name} ${n}`
    sentAt.set(text, due)
    // Not waited for: what the network holds up would be missing from the figures.
    const to = devices[n % devices.length]?.number
    written.push(world.sim('POST', '/messages', { from: friend, to, text }))
  }
  await Promise.all(written)
  const listLatencies = () =>
    receiver.deliveries.slice(first).flatMap(({ at, envelope }) => {
      const sent = sentAt.get((envelope.message as { text: string }).text)
      return sent === undefined ? [] : [at - sent]
    })
  await countSecondsUntil(() => listLatencies().length, count)
  return listLatencies()
}
