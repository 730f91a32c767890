// What an operation costs: processor time of edge, database and host, beside the unmodified library in the same run.

import { type LinkedDevice, link, makeDevice, makePhone, subscribe } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, type World } from '../world.ts'
import { type Cost, costOf } from './cost.ts'
import { type Library, startLibrary } from './library.ts'
import { percentiles, secondsUntil } from './load.ts'
import { processTime } from './process-time.ts'
import { readCosts } from './read-costs.ts'

const DEVICES = 20

interface Stage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  library: Library
  /** Somebody who is written to, and one who writes. */
  friend: string
}

const json = { 'content-type': 'application/json' }

export async function measureCosts(note: (text: string) => void): Promise<Cost[]> {
  note(`${DEVICES} devices are linked twice, through the gateway and with the library alone …`)
  const stage = await setStage()
  try {
    const costs: Cost[] = []
    for (const measure of [sendsAtOnce, sendsAlone, burst, trickle]) {
      note(`${measure.name} …`)
      costs.push(await measure(stage))
    }
    note('reads …')
    const tokens = stage.devices.map(({ token }) => token)
    return [...costs, ...(await readCosts(stage.world, tokens))]
  } finally {
    await stage.library.close()
    await stage.world.close()
    await stage.receiver.close()
  }
}

async function setStage(): Promise<Stage> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', SEND_RATE: '0' })
  const devices: LinkedDevice[] = []
  for (let n = 0; n < DEVICES; n++) {
    const device = await makeDevice(world, `Cost ${n}`)
    await subscribe(device, receiver, ['messages'])
    devices.push(await link(world, device))
  }
  const library = await startLibrary(world, DEVICES)
  const stage = { world, receiver, devices, library, friend: await makePhone(world, 'Friend') }
  // What is made at the first use of anything is nobody's cost an operation.
  await send(stage, 2 * DEVICES, 8)
  await library.send(stage.friend, 2 * DEVICES, 8)
  return stage
}

async function beside(cost: Cost, alone: number, ratio: number): Promise<Cost> {
  return { ...cost, alone, ratio: cost.total / alone, reach: { ratio } }
}

async function aloneOf({ library }: Stage, operations: number, work: () => Promise<void>): Promise<number> {
  const before = processTime(library.pid)
  await work()
  return (processTime(library.pid) - before) / operations
}

let sends = 0

/** Answers how long each took, once the receiver has the event of every one. */
async function send({ world, devices, receiver, friend }: Stage, count: number, atOnce: number) {
  const took: number[] = []
  const delivered = receiver.deliveries.length
  let next = 0
  const one = async () => {
    while (next < count) {
      const n = sends++
      const device = devices[next++ % devices.length]
      const began = performance.now()
      // Past the tests' caller, which holds every answer against the document.
      const answer = await fetch(`${world.run.baseUrl}/send/text`, {
        method: 'POST',
        headers: { ...json, token: device?.token ?? '', 'idempotency-key': `cost-${n}` },
        body: JSON.stringify({ number: friend, text: `ours ${n}` }),
      })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`a send answered ${answer.status}`)
      took.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  await secondsUntil(() => receiver.deliveries.length - delivered, count)
  return percentiles(took)
}

async function sendsAtOnce(stage: Stage): Promise<Cost> {
  const count = 600
  const cost = await costOf(
    stage.world,
    'keyed send, 32 at once',
    count,
    async () => void (await send(stage, count, 32)),
  )
  const alone = await aloneOf(stage, count, () => stage.library.send(stage.friend, count, 32))
  return beside(cost, alone, 4)
}

async function sendsAlone(stage: Stage): Promise<Cost> {
  const count = 200
  let took = { p50: 0, p99: 0 }
  const cost = await costOf(stage.world, 'keyed send, one at a time', count, async () => {
    took = await send(stage, count, 1)
  })
  const alone = await aloneOf(stage, count, () => stage.library.send(stage.friend, count, 1))
  return { ...(await beside(cost, alone, 6)), ...took }
}

const write = ({ world }: Stage, from: string, to: string | undefined, text: string, count: number) =>
  world.sim('POST', '/messages', { from, to, text, count })

async function libraryReceives(
  stage: Stage,
  count: number,
  writing: () => Promise<unknown>,
): Promise<number> {
  const before = await stage.library.received()
  return aloneOf(stage, count, async () => {
    await writing()
    while ((await stage.library.received()) - before < count)
      await new Promise((resolve) => setTimeout(resolve, 50))
  })
}

async function burst(stage: Stage): Promise<Cost> {
  const { devices, library, receiver, friend } = stage
  const each = 40
  const count = each * devices.length
  const before = receiver.deliveries.length
  const cost = await costOf(stage.world, 'message in to 2xx, burst', count, async () => {
    await Promise.all(devices.map(({ number }) => write(stage, friend, number, 'burst', each)))
    await secondsUntil(() => receiver.deliveries.length - before, count)
  })
  const alone = await libraryReceives(stage, count, () =>
    Promise.all(library.numbers.map((number) => write(stage, friend, number, 'burst', each))),
  )
  return beside(cost, alone, 2)
}

async function trickle(stage: Stage): Promise<Cost> {
  const { devices, library, receiver, friend } = stage
  const count = 500
  const steadily = async (numbers: string[], told: (text: string) => void = () => undefined) => {
    const began = Date.now()
    for (let n = 0; n < count; n++) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + n * 20 - Date.now())))
      told(`steady ${n}`)
      await write(stage, friend, numbers[n % numbers.length], `steady ${n}`, 1)
    }
  }
  const sentAt = new Map<string, number>()
  const before = receiver.deliveries.length
  const cost = await costOf(stage.world, 'message in to 2xx, 50 a second', count, async () => {
    await steadily(
      devices.map(({ number }) => number),
      (text) => sentAt.set(text, Date.now()),
    )
    await secondsUntil(() => receiver.deliveries.length - before, count)
  })
  const took = receiver.deliveries.slice(before).map(({ envelope, at }) => {
    return at - (sentAt.get((envelope.message as { text: string }).text) ?? Number.NaN)
  })
  const alone = await libraryReceives(stage, count, () => steadily(library.numbers))
  return { ...(await beside(cost, alone, 4)), ...percentiles(took) }
}
