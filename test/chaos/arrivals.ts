// The ids in the deliveries of a receiver, and which of those that are expected are not among them yet.

import { setTimeout as wait } from 'node:timers/promises'
import type { Delivery, Receiver } from '../receiver.ts'

/** From the end of the traffic on. */
const SETTLES_WITHIN_MS = 180_000
const POLL_MS = 500

export class Arrivals {
  readonly #receiver: Pick<Receiver, 'deliveries'>
  readonly #readIds: (delivery: Delivery) => string[]
  readonly #ids = new Set<string>()
  #read = 0

  constructor(receiver: Pick<Receiver, 'deliveries'>, readIds: (delivery: Delivery) => string[]) {
    this.#receiver = receiver
    this.#readIds = readIds
  }

  /** Each delivery is read once: they are hundreds of thousands, and this process is the receiver too. */
  listMissing(expected: Iterable<string>): string[] {
    const { deliveries } = this.#receiver
    for (; this.#read < deliveries.length; this.#read++)
      for (const id of this.#readIds(deliveries[this.#read] as Delivery)) this.#ids.add(id)
    return [...expected].filter((id) => !this.#ids.has(id))
  }

  /** Those that are missing when all have come, or when the time for them is over. */
  async waitForAll(expected: Iterable<string>): Promise<string[]> {
    let missing = this.listMissing(expected)
    const deadline = Date.now() + SETTLES_WITHIN_MS
    while (missing.length > 0 && Date.now() < deadline) {
      await wait(POLL_MS)
      missing = this.listMissing(missing)
    }
    return missing
  }
}
