// Decrypted messages that the library has not handed over yet: when they are too many bytes, the oldest are overdue.

/** Bytes per session. The library drops a decrypted message if it fails on its content. */
const MOST_AWAITED = 4 * 1024 * 1024
/** The size of a message beside its text. */
const ROW_BYTES = 1024

export interface Awaited {
  decrypted(name: string, bytes: number): void
  handedOver(name: string): void
  /** Removes and answers the oldest messages until the rest is within the limit. */
  takeOverdue(): string[]
}

export function makeAwaited(): Awaited {
  /** In order of arrival. */
  const sizes = new Map<string, number>()
  let total = 0

  function handedOver(name: string): void {
    total -= sizes.get(name) ?? 0
    sizes.delete(name)
  }

  return {
    decrypted(name, bytes) {
      sizes.set(name, (sizes.get(name) ?? 0) + bytes + ROW_BYTES)
      total += bytes + ROW_BYTES
    },
    handedOver,
    takeOverdue() {
      const overdue: string[] = []
      for (const name of sizes.keys()) {
        if (total <= MOST_AWAITED) break
        overdue.push(name)
        handedOver(name)
      }
      return overdue
    },
  }
}
