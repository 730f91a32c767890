// Each measure as a ratio inside one run: ours against the same thing done with nothing of ours in between.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { startHello } from './hello.ts'
import { computePercentiles, countSecondsUntil, measurePace } from './load.ts'
import { createMaxMeasure, createMinMeasure, type Measure } from './measure.ts'
import { linkRawDevices, type RawDevice } from './raw.ts'

export interface Stage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  raw: RawDevice[]
}

const json = { 'content-type': 'application/json' }
const SESSIONS = 50
const INSTANCES = 1000
const SECONDS = 6

export async function startStage(): Promise<Stage> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited })
  const devices: LinkedDevice[] = []
  for (let n = 0; n < SESSIONS; n++) {
    const device = await createDevice(world, `Bench ${n}`)
    await subscribeReceiver(device, receiver, ['messages'])
    devices.push(await linkDevice(world, device))
  }
  for (let n = SESSIONS; n < INSTANCES; n++) await world.admin.post('/instance/init', { name: `Idle ${n}` })
  return { world, receiver, devices, raw: await linkRawDevices(world, SESSIONS) }
}

export async function measureReads({ world, devices }: Stage): Promise<Measure[]> {
  const hello = await startHello()
  const createGet =
    (url: string, headers: Record<string, string> = {}) =>
    async () => {
      await (await fetch(url, { headers })).arrayBuffer()
    }
  const bare = await measurePace(SECONDS, 32, createGet(hello.url))
  const token = devices[0]?.token ?? ''
  const status = await measurePace(SECONDS, 32, createGet(`${world.run.baseUrl}/instance/status`, { token }))
  const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const list = await measurePace(SECONDS, 8, createGet(`${world.run.baseUrl}/instance/all`, { admintoken }))
  await hello.close()
  return [
    createMinMeasure(
      'GET /instance/status a second, 32 at once, against a bare hello',
      status.perSecond,
      bare.perSecond,
      0.35,
    ),
    createMinMeasure(
      'GET /instance/all of 1,000 a second, against the same',
      list.perSecond,
      bare.perSecond,
      0.02,
    ),
    createMaxMeasure('GET /instance/all, p99 in ms, 8 at once', list.p99, 200),
  ]
}

export async function measureSends({ world, devices, raw }: Stage): Promise<Measure> {
  const friend = await createPhone(world, 'Friend')
  let sent = 0
  const ours = await measurePace(SECONDS, 32, async () => {
    const n = sent++
    const device = devices[n % devices.length]
    // Past the tests' caller, which holds every answer against the document: that is their work, not the gateway's.
    const response = await fetch(`${world.run.baseUrl}/send/text`, {
      method: 'POST',
      headers: { ...json, token: device?.token ?? '', 'idempotency-key': `bench-${n}` },
      body: JSON.stringify({ number: friend, text: `ours ${n}` }),
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`a send answered ${response.status}`)
  })
  const alone = await measurePace(SECONDS, 32, async () => {
    const n = sent++
    await raw[n % raw.length]?.client.socket.sendMessage(`${friend}@s.whatsapp.net`, { text: `raw ${n}` })
  })
  return createMinMeasure(
    'keyed sends a second, 32 at once, against sendMessage',
    ours.perSecond,
    alone.perSecond,
    0.7,
  )
}

const BURST = 40

export async function measureReceipts({ world, devices, raw, receiver }: Stage): Promise<Measure> {
  const friend = await createPhone(world, 'Writer')
  const writeMessages = (number: string) =>
    world.sim('POST', '/messages', { from: friend, to: number, text: 'bench', count: BURST })
  const measureRate = async (numbers: string[], count: () => number) => {
    const before = count()
    const seconds = countSecondsUntil(() => count() - before, numbers.length * BURST)
    await Promise.all(numbers.map(writeMessages))
    return (numbers.length * BURST) / (await seconds)
  }
  const countReceived = () => raw.reduce((sum, { client }) => sum + client.messages.length, 0)
  const alone = await measureRate(
    raw.map(({ number }) => number),
    countReceived,
  )
  const ours = await measureRate(
    devices.map(({ number }) => number),
    () => receiver.deliveries.length,
  )
  return createMinMeasure('messages a second, network to receiver, against messages.upsert', ours, alone, 0.4)
}

export async function measureLatency({ world, devices, receiver }: Stage): Promise<Measure[]> {
  const friend = await createPhone(world, 'Steady')
  const sentAt = new Map<string, number>()
  const began = receiver.deliveries.length
  for (let n = 0; n < 500; n++) {
    const text = `steady ${n}`
    sentAt.set(text, Date.now())
    const number = devices[n % devices.length]?.number
    await world.sim('POST', '/messages', { from: friend, to: number, text })
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, (sentAt.get(text) ?? 0) + 20 - Date.now())),
    )
  }
  await countSecondsUntil(() => receiver.deliveries.length - began, 500)
  const took = receiver.deliveries.slice(began).map(({ envelope, at }) => {
    return at - (sentAt.get((envelope.message as { text: string }).text) ?? Number.NaN)
  })
  const { p50, p99 } = computePercentiles(took)
  return [
    createMaxMeasure('from written to received, p50 in ms, 50 a second', p50, 25),
    createMaxMeasure('from written to received, p99 in ms, 50 a second', p99, 150),
  ]
}
