// Apart from store-before-receipt.ts, because it only counts: the bytes of decrypted messages that the library has not reported yet. When they
// are too many, the oldest messages are overdue.

/** Bytes per session. The library drops a decrypted message if it fails on its content. */
const MAX_UNREPORTED_BYTES = 4 * 1024 * 1024
/** The size of a message without its text. */
const ROW_BYTES = 1024

export class UnreportedBytes {
  /** In order of arrival. */
  readonly #sizes = new Map<string, number>()
  #total = 0

  addMessage(name: string, bytes: number): void {
    this.#sizes.set(name, (this.#sizes.get(name) ?? 0) + bytes + ROW_BYTES)
    this.#total += bytes + ROW_BYTES
  }

  removeMessage(name: string): void {
    this.#total -= this.#sizes.get(name) ?? 0
    this.#sizes.delete(name)
  }

  /** Removes and returns the oldest messages until the rest is within the limit. */
  takeOverdue(): string[] {
    const overdue: string[] = []
    for (const name of this.#sizes.keys()) {
      if (this.#total <= MAX_UNREPORTED_BYTES) break
      overdue.push(name)
      this.removeMessage(name)
    }
    return overdue
  }
}
