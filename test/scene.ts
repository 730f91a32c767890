// What most tests need: a gateway, a receiver of all events, and a device linked to a phone.

import { afterAll } from 'vitest'
import { createDevice, type LinkedDevice, linkDevice, subscribeReceiver } from './device.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { until } from './until.ts'
import { startWorld, type World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a phone shows and what is posted are looked into by name.
export type Seen = any

export interface Scene {
  readonly world: World
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

/** A gateway and a receiver that it may deliver to; both are ended after the last test of the file. */
export async function startStage(env: Env = {}): Promise<{ world: World; receiver: Receiver }> {
  const receiver = await startReceiver()
  const allowed = [receiver.place, env.WEBHOOK_ALLOWLIST].filter(Boolean).join()
  try {
    const world = await startWorld({ ...env, WEBHOOK_ALLOWLIST: allowed })
    afterAll(async () => {
      await world.close()
      await receiver.close()
    })
    return { world, receiver }
  } catch (failure) {
    await receiver.close()
    throw failure
  }
}

/** The same with a linked device whose every event the receiver is sent. */
export async function startScene(env: Env = {}, kind: 'msgnet' | 'calls' = 'msgnet'): Promise<Scene> {
  const { world, receiver } = await startStage(env)
  try {
    const fresh = await createDevice(world, 'Shop', kind)
    await subscribeReceiver(fresh, receiver)
    const device = await linkDevice(world, fresh)
    return { world, receiver, device, ...createSights(world, receiver, device) }
  } catch (failure) {
    // No test will run, and nothing that is to happen after the last one either.
    await world.close()
    throw failure
  }
}

function createSights(world: World, receiver: Receiver, device: LinkedDevice) {
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
