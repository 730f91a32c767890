// Keyed sends through the gateway, so many at once, until the receiver has the event of each.

import type { LinkedDevice } from '../device.ts'
import type { Receiver } from '../receiver.ts'
import type { World } from '../world.ts'
import { computePercentiles, countSecondsUntil } from './load.ts'

interface Senders {
  world: World
  receiver: Receiver
  devices: LinkedDevice[]
  friend: string
  /** To whom the devices send, in their order, in place of the friend. */
  groups?: string[]
}

let sends = 0

/** Returns how long each took, in milliseconds. */
export async function measureKeyedSends(
  { world, devices, receiver, friend, groups }: Senders,
  count: number,
  atOnce: number,
) {
  const took: number[] = []
  const delivered = receiver.deliveries.length
  let next = 0
  const runWorker = async () => {
    while (next < count) {
      const n = sends++
      const at = next++ % devices.length
      const device = devices[at]
      const began = performance.now()
      // Past the tests' caller, which holds every answer against the document.
      const response = await fetch(`${world.run.baseUrl}/send/text`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          token: device?.token ?? '',
          'idempotency-key': `cost-${n}`,
        },
        body: JSON.stringify({ number: groups?.[at] ?? friend, text: `ours ${n}` }),
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`a send answered ${response.status}`)
      took.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runWorker))
  await countSecondsUntil(() => receiver.deliveries.length - delivered, count)
  return computePercentiles(took)
}
