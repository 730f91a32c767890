// What most tests need: a gateway, a receiver of all events, and a device linked to a phone.

import { afterAll } from 'vitest'
import { borrowWorld } from './borrowed-world.ts'
import { createDevice, type LinkedDevice, linkDevice, subscribeReceiver } from './device.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { reservedPlaces } from './reserved-ports.ts'
import { until } from './until.ts'
import { type SharedWorld, startWorld, type World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a phone shows and what is posted are looked into by name.
export type Seen = any

export interface Scene<Stage extends SharedWorld = SharedWorld> {
  readonly world: Stage
  readonly receiver: Receiver
  readonly device: LinkedDevice
  /** The first envelope of this type that fits, waited for. */
  waitForEvent(type: string, matches: (envelope: Seen) => boolean): Promise<Seen>
  /** What a phone has decrypted so far. */
  readInbox(number: string): Promise<Seen[]>
  /** The first message on a phone that fits, waited for. */
  waitForMessage(number: string, matches: (message: Seen) => boolean): Promise<Seen>
  /** Makes the network do wrong: to our device, unless `number` says to whom. */
  causeFault(kind: string, wish?: object): Promise<void>
  endFaults(): Promise<void>
}

/** Of the gateway, beside what it needs for the receiver. */
export type Env = Record<string, string>

type Kind = 'msgnet' | 'calls'

interface Stage<Gateway extends SharedWorld = SharedWorld> {
  world: Gateway
  receiver: Receiver
}

/** A gateway that other files use before and after this one, and a receiver; for whom it is: `borrowed-world.ts`. */
export const borrowStage = (env?: Env): Promise<Stage> => prepareStage(() => borrowWorld(env))

/** The same with a linked device whose every event the receiver is sent. */
export async function borrowScene(env?: Env, kind?: Kind): Promise<Scene> {
  return prepareScene(await borrowStage(env), kind)
}

/** A gateway of the file's own, and a receiver. */
export const startStage = (env: Env = {}): Promise<Stage<World>> =>
  prepareStage(() => startWorld({ WEBHOOK_ALLOWLIST: reservedPlaces, ...env }))

/** The same with a linked device whose every event the receiver is sent. */
export async function startScene(env?: Env, kind?: Kind): Promise<Scene<World>> {
  const stage = await startStage(env)
  try {
    return await prepareScene(stage, kind)
  } catch (failure) {
    // No test will run, and nothing that is to happen after the last one either.
    await stage.world.close()
    throw failure
  }
}

/** Both are closed after the last test of the file. */
async function prepareStage<Gateway extends SharedWorld & { close(): Promise<void> }>(
  open: () => Promise<Gateway>,
): Promise<Stage<Gateway>> {
  const [world, receiver] = await Promise.all([open(), startReceiver()])
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })
  return { world, receiver }
}

async function prepareScene<Gateway extends SharedWorld>(
  { world, receiver }: Stage<Gateway>,
  kind: Kind = 'msgnet',
): Promise<Scene<Gateway>> {
  const fresh = await createDevice(world, 'Shop', kind)
  await subscribeReceiver(fresh, receiver)
  const device = await linkDevice(world, fresh)
  return { world, receiver, device, ...createSights(world, receiver, device) }
}

function createSights(world: SharedWorld, receiver: Receiver, device: LinkedDevice) {
  const readInbox = async (number: string): Promise<Seen[]> =>
    (await world.sim('GET', `/phones/${number}/inbox`)).messages as Seen[]
  return {
    readInbox,
    waitForMessage: (number: string, matches: (message: Seen) => boolean): Promise<Seen> =>
      until(async () => (await readInbox(number)).find(matches)),
    async waitForEvent(type: string, matches: (envelope: Seen) => boolean): Promise<Seen> {
      const delivery = await receiver.waitForDelivery(
        (envelope) => envelope.EventType === type && matches(envelope),
      )
      return delivery.envelope
    },
    async causeFault(kind: string, wish: object = {}) {
      await world.sim('POST', '/faults', { kind, number: device.number, ...wish })
    },
    async endFaults() {
      await world.sim('DELETE', '/faults')
    },
  }
}
