// Decrypted messages that the library has not handed over yet: when they are too many bytes, the oldest are overdue.

/** Bytes per session. The library drops a decrypted message if it fails on its content. */
const MAX_UNREPORTED_BYTES = 4 * 1024 * 1024
/** The size of a message beside its text. */
const ROW_BYTES = 1024

export interface UnreportedMessages {
  addMessage(name: string, bytes: number): void
  removeMessage(name: string): void
  /** Removes and answers the oldest messages until the rest is within the limit. */
  takeOverdue(): string[]
}

export function createUnreportedMessages(): UnreportedMessages {
  /** In order of arrival. */
  const sizes = new Map<string, number>()
  let total = 0

  function removeMessage(name: string): void {
    total -= sizes.get(name) ?? 0
    sizes.delete(name)
  }

  return {
    addMessage(name, bytes) {
      sizes.set(name, (sizes.get(name) ?? 0) + bytes + ROW_BYTES)
      total += bytes + ROW_BYTES
    },
    removeMessage,
    takeOverdue() {
      const overdueNames: string[] = []
      for (const name of sizes.keys()) {
        if (total <= MAX_UNREPORTED_BYTES) break
        overdueNames.push(name)
        removeMessage(name)
      }
      return overdueNames
    },
  }
}
