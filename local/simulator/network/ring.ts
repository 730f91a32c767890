// A list that keeps its newest entries and numbers all it ever had.
export type Numbered<T> = T & { seq: number }

export class Ring<T extends object> {
  readonly #room: number
  #entries: Numbered<T>[] = []
  #seq = 0

  constructor(room: number) {
    this.#room = room
  }

  add(entry: T) {
    this.#seq += 1
    this.#entries.push({ seq: this.#seq, ...entry })
    // Cutting in halves costs less than shifting an array of this size for each entry.
    if (this.#entries.length > this.#room * 2) this.#entries = this.#entries.slice(-this.#room)
  }

  all(): Numbered<T>[] {
    return this.#entries.slice(-this.#room)
  }

  clear() {
    this.#entries = []
  }
}
