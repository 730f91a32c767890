// What a webhook of another form costs more than one of the contract's, and whether the contract's costs more while others are served.

import { dialectNames } from '@msgnet/shared/contract/webhook-formats.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { countSecondsUntil } from './load.ts'
import { createMaxRatioMeasure, type Measure } from './measure.ts'
import { readProcessTime } from './process-time.ts'

const DEVICES = 10
/** Each device gets so many messages in a round. */
const BURST = 80
const ROUNDS = 5

interface Stage {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  friend: string
}

/** Two gateways on this machine take turns, one of which serves every form. */
export async function measureFormats(note: (text: string) => void): Promise<Measure[]> {
  const receiver = await startReceiver()
  const served = await startStage(receiver, dialectNames.join())
  const plain = await startStage(receiver, '')
  try {
    const spent = new Map<string, number[]>()
    for (let round = 0; round <= ROUNDS; round++) {
      note(`messages to webhooks of each form, round ${round} of ${ROUNDS} …`)
      // The first of each warms up.
      const count = (name: string, ms: number) =>
        round > 0 && spent.set(name, [...(spent.get(name) ?? []), ms])
      for (const format of ['contract', ...dialectNames]) {
        // As often as the other, so that both are as warm.
        count('', await measureBurst(plain))
        await setFormat(served, format)
        count(format, await measureBurst(served))
      }
    }
    const compare = (what: string, name: string, against: string, max: number) =>
      createMaxRatioMeasure(what, computeMedian(spent.get(name)), computeMedian(spent.get(against)), max)
    const edge = 'edge, CPU ms a message in to 2xx'
    return [
      compare(`${edge}, other forms served, against none`, 'contract', '', 1.02),
      ...dialectNames.map((name) =>
        compare(`${edge} of a webhook in the form ${name}, against the contract's`, name, 'contract', 1.2),
      ),
    ]
  } finally {
    await Promise.all([served.world.close(), plain.world.close()])
    await receiver.close()
  }
}

async function startStage(receiver: Receiver, dialects: string): Promise<Stage> {
  const env = { WEBHOOK_ALLOWLIST: receiver.place, LOG_LEVEL: 'warn', DIALECTS: dialects, ...unlimited }
  const world = await startWorld(env)
  const devices: LinkedDevice[] = []
  for (let n = 0; n < DEVICES; n++) {
    const device = await createDevice(world, `Forms ${n}`)
    await subscribeReceiver(device, receiver, ['messages'])
    devices.push(await linkDevice(world, device))
  }
  return { world, receiver, devices, friend: await createPhone(world, 'Writer') }
}

const setFormat = ({ devices, receiver }: Stage, format: string) =>
  Promise.all(
    devices.map(({ caller }) => caller.post('/webhook', { url: receiver.url, events: ['messages'], format })),
  )

/** CPU milliseconds of the edge for one message. */
async function measureBurst({ world, receiver, devices, friend }: Stage): Promise<number> {
  const pid = world.findPid('edge')
  const [had, before] = [receiver.deliveries.length, readProcessTime(pid)]
  await Promise.all(
    devices.map(({ number }) =>
      world.sim('POST', '/messages', { from: friend, to: number, text: 'burst', count: BURST }),
    ),
  )
  await countSecondsUntil(() => receiver.deliveries.length - had, DEVICES * BURST)
  return (readProcessTime(pid) - before) / (DEVICES * BURST)
}

const computeMedian = (all: number[] = []): number =>
  all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? Number.NaN
