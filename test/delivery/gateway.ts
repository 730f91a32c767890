// What the delivery tests have in common: a gateway whose receivers may be local, and events for its instances.

import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import type { Delivery, Receiver } from '../receiver.ts'
import type { SharedWorld } from '../world.ts'

/** A linked device and a person that writes to it. */
export interface Correspondent extends LinkedDevice {
  /** A phone writes this to the device: one `messages` event. */
  receiveText(text: string, count?: number): Promise<void>
}

export async function createCorrespondent(world: SharedWorld, name = 'Test'): Promise<Correspondent> {
  const device = await linkDevice(world, await createDevice(world, name))
  const friend = await createPhone(world)
  return {
    ...device,
    async receiveText(text, count = 1) {
      await world.sim('POST', '/messages', { from: friend, to: device.number, text, count })
    },
  }
}

export const readText = ({ envelope }: Delivery): string =>
  (envelope.message as { text: string } | undefined)?.text ?? ''

/** The texts that a receiver was sent, in the order of arrival. */
export const listTexts = (receiver: Receiver): string[] => receiver.deliveries.map(readText).filter(Boolean)
