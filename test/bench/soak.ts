// Steady traffic over minutes, 50 messages in and 5 keyed sends a second on 20 devices: what each minute cost and held.

import { readdirSync, readFileSync } from 'node:fs'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { computePercentiles, countSecondsUntil } from './load.ts'
import { readProcessTime } from './process-time.ts'

const DEVICES = 20
const WRITTEN_EVERY_MS = 20
const SENT_EVERY_MS = 200
const MINUTE_MS = 60_000
/** Messages before the first minute, which would be the compiler's. */
const WARM_UP = 200

export interface Minute {
  minute: number
  /** Milliseconds from written to the receiver's socket. */
  p50: number
  p99: number
  /** The longest that `/health` of the host took, asked every 50 ms: its loop stood still for about as long. */
  stall: number
  /** Milliseconds of the host's processor time a message, sent or received. */
  hostCpu: number
  /** MiB of memory. */
  hostMemory: number
  edgeMemory: number
  hostFiles: number
  edgeFiles: number
  missing: number
}

/** Calls `onMinute` at the end of each minute. */
export async function runSoak(minutes: number, onMinute: (minute: Minute) => void): Promise<Minute[]> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited })
  try {
    const devices: LinkedDevice[] = []
    for (let n = 0; n < DEVICES; n++) {
      const device = await createDevice(world, `Soak ${n}`)
      await subscribeReceiver(device, receiver, ['messages'])
      devices.push(await linkDevice(world, device))
    }
    const stage = { world, receiver, devices, writer: await createPhone(world, 'Writer') }
    await runMinute(stage, WARM_UP * WRITTEN_EVERY_MS)
    const all: Minute[] = []
    for (let minute = 1; minute <= minutes; minute++) {
      const one = { minute, ...(await runMinute(stage, MINUTE_MS)) }
      onMinute(one)
      all.push(one)
    }
    return all
  } finally {
    await world.close()
    await receiver.close()
  }
}

interface Stage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  writer: string
}

async function runMinute(
  { world, receiver, devices, writer }: Stage,
  ms: number,
): Promise<Omit<Minute, 'minute'>> {
  const { 'session host': host = 0, edge = 0 } = world.run.parts
  // What an earlier minute was given would only be this process's own memory.
  receiver.deliveries.length = 0
  const cpu = readProcessTime(host)
  const writtenAt = new Map<string, number>()
  const sent: Promise<void>[] = []
  const expected = new Set<string>()
  let stall = 0
  const polling = setInterval(async () => {
    const began = performance.now()
    // A host that stands still for long resets idle connections: that took as long too.
    await fetch(`${world.run.metricsUrl}/health`).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    )
    stall = Math.max(stall, performance.now() - began)
  }, 50)
  const began = Date.now()
  for (let n = 0; n * WRITTEN_EVERY_MS < ms; n++) {
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, began + n * WRITTEN_EVERY_MS - Date.now())),
    )
    const device = devices[n % devices.length]
    const text = `soak ${began} ${n}`
    writtenAt.set(text, Date.now())
    await world.sim('POST', '/messages', { from: writer, to: device?.number, text })
    expected.add(text)
    if ((n * WRITTEN_EVERY_MS) % SENT_EVERY_MS !== 0) continue
    const ours = `ours ${began} ${n}`
    expected.add(ours)
    sent.push(sendText(world, device?.token ?? '', writer, ours))
  }
  await Promise.all(sent)
  await countSecondsUntil(() => receiver.deliveries.length, expected.size, 60).catch(() => undefined)
  clearInterval(polling)
  const delivered = new Set(receiver.deliveries.map(readText))
  const took = receiver.deliveries.flatMap((delivery) => {
    const written = writtenAt.get(readText(delivery))
    return written === undefined ? [] : [delivery.at - written]
  })
  return {
    ...computePercentiles(took),
    stall,
    hostCpu: (readProcessTime(host) - cpu) / expected.size,
    hostMemory: readMemory(host),
    edgeMemory: readMemory(edge),
    hostFiles: countOpenFiles(host),
    edgeFiles: countOpenFiles(edge),
    missing: [...expected].filter((text) => !delivered.has(text)).length,
  }
}

const readText = ({ envelope }: Receiver['deliveries'][number]) => (envelope.message as { text: string }).text

async function sendText(world: World, token: string, number: string, text: string): Promise<void> {
  const response = await fetch(`${world.run.baseUrl}/send/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', token, 'idempotency-key': text.replaceAll(' ', '-') },
    body: JSON.stringify({ number, text }),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`a send answered ${response.status}`)
}

/** MiB that the process holds in memory. */
function readMemory(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

const countOpenFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
