// What was decrypted and is not handed over by the library yet: of too much of it the oldest is overdue.

/** Bytes a session. On one whose content it stumbles over, the library drops a message that it has decrypted. */
const MOST_AWAITED = 4 * 1024 * 1024
/** What a message takes besides its text. */
const ROW_BYTES = 1024

export interface Awaited {
  decrypted(name: string, bytes: number): void
  handedOver(name: string): void
  /** Those, oldest first, without which it is not too much; they are awaited no longer. */
  takeOverdue(): string[]
}

export function makeAwaited(): Awaited {
  /** In the order in which they came. */
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
