// A ring buffer: keeps the newest entries, and numbers all entries that it ever had.
export type Numbered<T> = T & { seq: number }

export class RingBuffer<T extends object> {
  readonly #size: number
  #entries: Numbered<T>[] = []
  #seq = 0

  constructor(size: number) {
    this.#size = size
  }

  add(entry: T) {
    this.#seq += 1
    this.#entries.push({ seq: this.#seq, ...entry })
    // Cutting in halves costs less than shifting an array of this size for each entry.
    if (this.#entries.length > this.#size * 2) this.#entries = this.#entries.slice(-this.#size)
  }

  list(): Numbered<T>[] {
    return this.#entries.slice(-this.#size)
  }

  clear() {
    this.#entries = []
  }
}
