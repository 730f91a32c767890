// The room for temporary files of what is sent and converted: instances share it by what is still free.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import { mayAdd } from './media-shares.ts'

/** One instance alone fills half of it, so thirteen of the largest files. */
const MAX_BYTES = 4096 * MIB

/** There is no room for more of a file. */
export class NoRoom extends Error {}

export class TemporarySpace {
  readonly #maxBytes: number
  readonly #byInstance = new Map<string, number>()
  #total = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Of all instances. */
  get usedBytes(): number {
    return this.#total
  }

  openShare(instance: string): SpaceShare {
    return new SpaceShare(
      (bytes) => this.#add(instance, bytes),
      () => mayAdd(this.#byInstance.get(instance) ?? 0, this.#total, this.#maxBytes),
    )
  }

  #add(instance: string, bytes: number): void {
    const own = (this.#byInstance.get(instance) ?? 0) + bytes
    if (own > 0) this.#byInstance.set(instance, own)
    else this.#byInstance.delete(instance)
    this.#total += bytes
  }
}

/** What one act has on the disk, until it is released. */
export class SpaceShare {
  readonly #add: (bytes: number) => void
  readonly #hasRoom: () => boolean
  #bytes = 0
  #refused = false

  constructor(add: (bytes: number) => void, hasRoom: () => boolean) {
    this.#add = add
    this.#hasRoom = hasRoom
  }

  /** Passes the bytes of a file on its way to the disk. Throws NoRoom, also at the first of them. */
  async *countBytes<Chunk extends Uint8Array>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void> {
    for await (const chunk of chunks) {
      if (!this.#hasRoom()) {
        this.#refused = true
        throw new NoRoom('no room for temporary files')
      }
      this.#bytes += chunk.length
      this.#add(chunk.length)
      yield chunk
    }
  }

  /** In place of what else is said of a file that was not written whole. */
  get refusal(): RefusedOutcome | undefined {
    if (!this.#refused) return undefined
    const sentence = 'Files of this instance that are being sent take all the room there is for them.'
    return { ...createRefusal('quota_reached', sentence), waitMs: SECOND }
  }

  /** When its files are deleted. */
  release(): void {
    this.#add(-this.#bytes)
    this.#bytes = 0
  }
}
