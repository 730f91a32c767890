// How far the events of each instance are in the queue: the `seq` of the last one that it has confirmed.

import { database, storedValues } from '../bridge-store.ts'

/** One write for all that was confirmed within this time. After a kill it comes again. */
const WRITE_MS = 50

export class Positions {
  readonly #positions = new Map<string, number>()
  readonly #unwritten = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  /** Undefined for an instance that was never seen. */
  find(instance: string): number | undefined {
    const known =
      this.#positions.get(instance) ?? Number(storedValues.get(createName(instance)) ?? Number.NaN)
    return Number.isNaN(known) ? undefined : known
  }

  move(instance: string, seq: number): void {
    this.#positions.set(instance, seq)
    this.#unwritten.add(instance)
    this.#timer ??= setTimeout(() => this.write(), WRITE_MS)
  }

  /** All of it or nothing. */
  write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#unwritten.size === 0) return
    database.exec('begin')
    for (const instance of this.#unwritten)
      storedValues.set(createName(instance), String(this.#positions.get(instance)))
    database.exec('commit')
    this.#unwritten.clear()
  }
}

const createName = (instance: string): string => `position ${instance}`
