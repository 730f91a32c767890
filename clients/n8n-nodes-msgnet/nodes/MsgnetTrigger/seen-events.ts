// The ids of events that a workflow has, so that it takes none of them twice.

import type { IDataObject } from 'n8n-workflow'

/** Of one webhook; n8n stores them with the workflow on each event. */
const MAX_STORED = 200
const MAX_IN_MEMORY = 10_000
/** After it an event whose workflow gave no sign of its end may start it again. */
const FORGET_RUNNING_MS = 10 * 60_000

type State = 'running' | 'taken'

export class SeenEvents {
  readonly #states = new Map<string, { state: State; since: number }>()

  /** `stored`: the node's data that n8n stores with the workflow. */
  find(key: string, stored: IDataObject, now = Date.now()): State | undefined {
    const { state, since } = this.#states.get(key) ?? {}
    if (state === 'running' && now - (since ?? 0) > FORGET_RUNNING_MS) return undefined
    return state ?? (readStored(stored).includes(key) ? 'taken' : undefined)
  }

  mark(key: string, state: State, now = Date.now()): void {
    this.#states.delete(key)
    this.#states.set(key, { state, since: now })
    const oldest = this.#states.keys().next().value
    if (this.#states.size > MAX_IN_MEMORY && oldest !== undefined) this.#states.delete(oldest)
  }

  forget(key: string): void {
    this.#states.delete(key)
  }
}

const readStored = ({ seen }: IDataObject): string[] => (Array.isArray(seen) ? seen.map(String) : [])

/** n8n stores it once it has answered. */
export function storeSeen(stored: IDataObject, key: string): void {
  stored.seen = [...readStored(stored), key].slice(-MAX_STORED)
}

export function dropSeen(stored: IDataObject, key: string): void {
  stored.seen = readStored(stored).filter((one) => one !== key)
}
