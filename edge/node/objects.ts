// The objects of the edge as plain objects of this process, each made at its first call. Nothing of them is on disk: what they
// hand on lies in the database, and the tick at the start wakes what an alarm would have.

import { SECOND } from '../../shared/clock.ts'
import { log, reasonOf } from '../log.ts'
import type { HostSocket, ObjectState, ObjectStorage } from '../runtime.ts'

/** After an alarm that failed. */
const TRY_AGAIN_IN = 5 * SECOND
/** Node's timers take no longer delay. */
const LONGEST_TIMER = 2 ** 31 - 1

interface Alarmed {
  alarm(): Promise<void>
}

type LogEnv = Parameters<typeof log>[0]

/** Sockets are added and removed by the one who accepted them. */
export interface Place<Kind> {
  object: Kind
  sockets: Set<HostSocket>
}

/** All objects of one kind, by their names. */
export class Objects<Kind extends Alarmed> {
  readonly #env: LogEnv
  readonly #make: (state: ObjectState) => Kind
  readonly #places = new Map<string, Place<Kind> & { stop(): void }>()

  constructor(env: LogEnv, make: (state: ObjectState) => Kind) {
    this.#env = env
    this.#make = make
  }

  get(name: string): Place<Kind> {
    const known = this.#places.get(name)
    if (known) return known
    const sockets = new Set<HostSocket>()
    const alarm = new Alarm(this.#env, () => place.object.alarm())
    const state: ObjectState = {
      // An object that has deleted all it stored is made anew at its next call.
      storage: makeStorage(alarm, () => this.#places.delete(name)),
      getWebSockets: () => [...sockets],
      waitUntil: (work) => void work.catch((error) => this.#logFailure(error)),
    }
    const place = { object: this.#make(state), sockets, stop: () => alarm.clear() }
    this.#places.set(name, place)
    return place
  }

  all(): Place<Kind>[] {
    return [...this.#places.values()]
  }

  /** No alarm goes off any more. */
  stop(): void {
    for (const { stop } of this.#places.values()) stop()
  }

  #logFailure(error: unknown): void {
    log(this.#env, 'error', 'work of an object failed', { reason: reasonOf(error) })
  }
}

/** One alarm: setting it again replaces it. */
class Alarm {
  readonly #env: LogEnv
  readonly #ring: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  at: number | null = null

  constructor(env: LogEnv, ring: () => Promise<void>) {
    this.#env = env
    this.#ring = ring
  }

  set(at: number): void {
    this.clear()
    this.at = at
    const delay = Math.min(Math.max(0, at - Date.now()), LONGEST_TIMER)
    this.#timer = setTimeout(() => this.#goOff(at), delay)
    this.#timer.unref()
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.at = null
  }

  #goOff(at: number): void {
    this.at = null
    // It was too far away for one timer.
    if (at > Date.now()) this.set(at)
    else
      this.#ring().catch((error) => {
        log(this.#env, 'error', 'alarm failed', { reason: reasonOf(error) })
        if (this.at === null) this.set(Date.now() + TRY_AGAIN_IN)
      })
  }
}

function makeStorage(alarm: Alarm, emptied: () => void): ObjectStorage {
  const values = new Map<string, unknown>()
  return {
    get: async <Value>(key: string) => values.get(key) as Value | undefined,
    put: async (key, value) => void values.set(key, value),
    async deleteAll() {
      values.clear()
      emptied()
    },
    getAlarm: async () => alarm.at,
    setAlarm: async (at) => alarm.set(at),
    deleteAlarm: async () => alarm.clear(),
  }
}
