// What an operation costs: processor time of edge, database and host, beside the unmodified library in the same run.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LinkedDevice, link, makeDevice, makePhone, subscribe } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, type World } from '../world.ts'
import { type Library, startLibrary } from './library.ts'
import { percentiles, secondsUntil } from './load.ts'
import { processTime } from './process-time.ts'

const DEVICES = 20
const INSTANCES = 1000
const parts = ['edge', 'database', 'session host'] as const
type Part = (typeof parts)[number]

export interface Cost {
  what: string
  /** Milliseconds of processor time an operation. */
  total: number
  byPart: Record<Part, number>
  /** Of the library alone for the same thing, where it can do it. */
  alone?: number
  ratio?: number
  /** Milliseconds that one took, where they went one at a time or at a steady pace. */
  p50?: number
  p99?: number
  /** What must be reached: a ratio against the library, or milliseconds of processor time. */
  reach?: { ratio: number } | { ms: number }
}

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
    note(`reads, with ${INSTANCES} instances …`)
    return [...costs, ...(await reads(stage))]
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

/** Processor time of the three parts over `work`, divided by its operations. `work` ends when all it has caused is over. */
async function costOf(
  { world }: Pick<Stage, 'world'>,
  what: string,
  operations: number,
  work: () => Promise<void>,
): Promise<Cost> {
  const pids = parts.map((part) => world.run.parts[part] ?? 0)
  const before = pids.map(processTime)
  await work()
  const spent = pids.map((pid, at) => (processTime(pid) - (before[at] ?? 0)) / operations)
  const byPart = Object.fromEntries(parts.map((part, at) => [part, spent[at] ?? 0])) as Record<Part, number>
  return { what, total: spent.reduce((sum, one) => sum + one, 0), byPart }
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
    stage,
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
  const cost = await costOf(stage, 'keyed send, one at a time', count, async () => {
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
  const cost = await costOf(stage, 'message in to 2xx, burst', count, async () => {
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
  const cost = await costOf(stage, 'message in to 2xx, 50 a second', count, async () => {
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

async function reads({ world, devices }: Stage): Promise<Cost[]> {
  for (let n = DEVICES; n < INSTANCES; n++) await world.admin.post('/instance/init', { name: `Idle ${n}` })
  const { baseUrl } = world.run
  const token = devices[0]?.token ?? ''
  const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const repeated = async (
    what: string,
    [count, atOnce]: [number, number],
    path: string,
    headers: Record<string, string>,
    ms: number,
  ): Promise<Cost> => {
    let next = 0
    const one = async () => {
      while (next++ < count) await (await fetch(baseUrl + path, { headers })).arrayBuffer()
    }
    const cost = await costOf({ world }, what, count, async () => {
      await Promise.all(Array.from({ length: atOnce }, one))
    })
    return { ...cost, reach: { ms } }
  }
  return [
    await repeated('live, 32 at once', [4000, 32], '/health/live', {}, 0.1),
    await repeated('status, 32 at once', [3000, 32], '/instance/status', { token }, 0.4),
    await repeated('status, one at a time', [500, 1], '/instance/status', { token }, 1),
    await repeated('list of 1,000, 8 at once', [200, 8], '/instance/all', { admintoken }, 3),
  ]
}

const reached = ({ total, ratio = 0, reach }: Cost): boolean =>
  !reach || ('ratio' in reach ? ratio <= reach.ratio : total <= reach.ms)

/** For the terminal. */
export function printCosts(costs: Cost[]): void {
  const ms = (value: number | undefined, digits = 2) => value?.toFixed(digits) ?? ''
  console.table(
    costs.map((cost) => ({
      'CPU ms an operation': cost.what,
      total: ms(cost.total),
      ...Object.fromEntries(parts.map((part) => [part, ms(cost.byPart[part])])),
      library: ms(cost.alone),
      ratio: ms(cost.ratio, 1),
      reach: cost.reach ? `≤ ${'ratio' in cost.reach ? `${cost.reach.ratio} ×` : `${cost.reach.ms} ms`}` : '',
      '': reached(cost) ? 'reached' : 'MISSED',
      'p50 ms': ms(cost.p50, 0),
      'p99 ms': ms(cost.p99, 0),
    })),
  )
}
