// What the delivery tests have in common: a gateway whose receivers may be local, and events for its instances.

import { type LinkedDevice, link, makeDevice, makePhone } from '../device.ts'
import type { Delivery, Receiver } from '../receiver.ts'
import type { World } from '../world.ts'

/** A linked device and somebody who writes to it. */
export interface Correspondent extends LinkedDevice {
  /** Somebody writes this to the device: one `messages` event. */
  hears(text: string, count?: number): Promise<void>
}

export async function makeCorrespondent(world: World, name = 'Test'): Promise<Correspondent> {
  const device = await link(world, await makeDevice(world, name))
  const friend = await makePhone(world)
  return {
    ...device,
    async hears(text, count = 1) {
      await world.sim('POST', '/messages', { from: friend, to: device.number, text, count })
    },
  }
}

export const textOf = ({ envelope }: Delivery): string =>
  (envelope.message as { text: string } | undefined)?.text ?? ''

/** The texts that a receiver was sent, in the order of arrival. */
export const textsAt = (receiver: Receiver): string[] => receiver.deliveries.map(textOf).filter(Boolean)
