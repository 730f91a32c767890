// What the history of a newly linked account costs the others of the host that it comes to, in waiting and in memory.

import { readFileSync } from 'node:fs'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { measureFlow } from './huge.ts'
import { computePercentiles } from './load.ts'
import { createMaxMeasure, createMaxRatioMeasure, type Measure } from './measure.ts'

const DEVICES = 20
const SECONDS = 45
const WARM_UP_SECONDS = 10
const MESSAGES = 100_000
/** Of what 100,000 take, three times as many may take so much. */
const FLAT = 1.25

/** In a gateway of its own: some time with a linking without a history, and the same with one of 100,000 messages. */
export async function measureHistory(): Promise<Measure[]> {
  const receiver = await startReceiver()
  const world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', ...unlimited })
  try {
    const devices: LinkedDevice[] = []
    for (let n = 0; n < DEVICES; n++) {
      const device = await createDevice(world, `Neighbour ${n}`)
      await subscribeReceiver(device, receiver, ['messages'])
      devices.push(await linkDevice(world, device))
    }
    const stage = { world, receiver, devices, friend: await createPhone(world, 'Friend') }
    await measureFlow(stage, 'warm-up', WARM_UP_SECONDS)
    // A linking has a cost of its own, which is not that of the history.
    const plain = await linkWithPast(world, 0)
    const before = await measureFlow(stage, 'before', SECONDS)
    await plain.findPeak()
    const small = await linkWithPast(world, MESSAGES)
    const during = await measureFlow(stage, 'during', SECONDS)
    const smallPeak = await small.findPeak()
    const largePeak = await (await linkWithPast(world, 3 * MESSAGES)).findPeak()
    const [alone, beside] = [computePercentiles(before), computePercentiles(during)]
    return [
      createMaxRatioMeasure(
        'longest wait beside a history of 100,000, ms, against that before',
        Math.max(...during),
        Math.max(...before),
        2,
      ),
      createMaxRatioMeasure('p99 beside it, ms, against that before', beside.p99, alone.p99, 2),
      createMaxMeasure('the history of 100,000 took, s', small.readSeconds(), 120),
      createMaxRatioMeasure(
        'memory of the host at most, MiB: 300,000 against 100,000',
        largePeak,
        smallPeak,
        FLAT,
      ),
    ]
  } finally {
    await world.close()
    await receiver.close()
  }
}

/** Links a device of a phone with so many messages. 0: none are asked for. */
async function linkWithPast(world: World, messages: number) {
  const device = await createDevice(world, `History of ${messages}`)
  const number = await createPhone(world, 'Owner')
  const history = messages > 0 ? 'full' : 'none'
  if (messages > 0) await world.sim('POST', `/phones/${number}/past`, { chats: 200, messages, groups: 10 })
  await device.caller.post('/instance/connect', { history })
  const readStatus = async () => (await device.caller.get('/instance/status')).body
  const qr = await until(async () => (await readStatus()).pairing?.qr)
  await world.sim('POST', `/phones/${number}/scan`, { qr })
  const began = performance.now()
  let seconds = 0
  let peak = 0
  const ended = until(
    async () => {
      peak = Math.max(peak, readMemory(world.findPid('session host')))
      const status = await readStatus()
      return messages > 0 ? status.history?.state === 'complete' : status.loggedIn
    },
    { within: 900_000 },
  ).then(() => {
    seconds = (performance.now() - began) / 1000
  })
  return {
    /** Waits for its end. Mebibytes. */
    async findPeak() {
      await ended
      return peak
    },
    readSeconds: () => seconds,
  }
}

const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
