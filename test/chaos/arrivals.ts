// The ids in the deliveries of a receiver, and which of those that are expected are not among them yet.

import { setTimeout as wait } from 'node:timers/promises'
import type { Delivery, Receiver } from '../receiver.ts'

/** Nothing that was missing has come for so long. How long a backlog takes depends on the machine. */
const STALLED_MS = 180_000
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

  /** Those that are missing when all have come, or when no more come. */
  async waitForAll(expected: Iterable<string>): Promise<string[]> {
    let missing = this.listMissing(expected)
    let heardAt = Date.now()
    while (missing.length > 0 && Date.now() < heardAt + STALLED_MS) {
      await wait(POLL_MS)
      const left = this.listMissing(missing)
      if (left.length < missing.length) heardAt = Date.now()
      missing = left
    }
    return missing
  }
}
