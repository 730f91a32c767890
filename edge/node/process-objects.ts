// The objects of the edge as plain objects of this process, each created at its first call. They store nothing on disk: the events
// and acts are in the database, and the tick at the start wakes what an alarm would have woken.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { log } from '../observability/edge-log.ts'
import type { HostSocket, ObjectState, ObjectStorage } from '../runtime/runtime.ts'

/** After an alarm that failed. */
const RETRY_DELAY = 5 * SECOND
/** Node's timers take no longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1

interface HasAlarm {
  alarm(): Promise<void>
}

type LogEnv = Parameters<typeof log>[0]

/** Sockets are added and removed by the code that accepted them. */
export interface ObjectEntry<Kind> {
  object: Kind
  sockets: Set<HostSocket>
}

/** All objects of one kind, by their names. */
export class ObjectRegistry<Kind extends HasAlarm> {
  readonly #env: LogEnv
  readonly #create: (state: ObjectState) => Kind
  readonly #entries = new Map<string, ObjectEntry<Kind> & { stopAlarm(): void; resetAlarm(): void }>()

  constructor(env: LogEnv, create: (state: ObjectState) => Kind) {
    this.#env = env
    this.#create = create
  }

  getOrCreate(name: string): ObjectEntry<Kind> {
    const existing = this.#entries.get(name)
    if (existing) return existing
    const sockets = new Set<HostSocket>()
    const alarm = new Alarm(this.#env, () => entry.object.alarm())
    const state: ObjectState = {
      // An object that has deleted all its values is created again at its next call.
      storage: createStorage(alarm, () => this.#entries.delete(name)),
      getWebSockets: () => [...sockets],
      waitUntil: (work) => void work.catch((error) => this.#logFailure(error)),
    }
    const entry = {
      object: this.#create(state),
      sockets,
      stopAlarm: () => alarm.clear(),
      resetAlarm: () => alarm.reset(),
    }
    this.#entries.set(name, entry)
    return entry
  }

  listEntries(): ObjectEntry<Kind>[] {
    return [...this.#entries.values()]
  }

  /** After the time of day was moved: an alarm for a time that has passed is called now. */
  resetAlarms(): void {
    for (const { resetAlarm } of this.#entries.values()) resetAlarm()
  }

  /** After this no alarm runs. */
  stopAlarms(): void {
    for (const { stopAlarm } of this.#entries.values()) stopAlarm()
  }

  #logFailure(error: unknown): void {
    log(this.#env, 'error', 'failed to finish object work', { error })
  }
}

/** One alarm: setting it again replaces it. */
class Alarm {
  readonly #env: LogEnv
  readonly #onAlarm: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  at: number | null = null

  constructor(env: LogEnv, onAlarm: () => Promise<void>) {
    this.#env = env
    this.#onAlarm = onAlarm
  }

  set(at: number): void {
    this.clear()
    this.at = at
    const delay = Math.min(Math.max(0, at - Date.now()), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#fireAlarm(at), delay)
    this.#timer.unref()
  }

  reset(): void {
    if (this.at !== null) this.set(this.at)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.at = null
  }

  #fireAlarm(at: number): void {
    this.at = null
    // It was too far away for one timer.
    if (at > Date.now()) this.set(at)
    else
      this.#onAlarm().catch((error) => {
        log(this.#env, 'error', 'failed to run alarm', { error })
        if (this.at === null) this.set(Date.now() + RETRY_DELAY)
      })
  }
}

function createStorage(alarm: Alarm, onEmptied: () => void): ObjectStorage {
  const values = new Map<string, unknown>()
  return {
    get: async <Value>(key: string) => values.get(key) as Value | undefined,
    put: async (key, value) => void values.set(key, value),
    async deleteAll() {
      values.clear()
      onEmptied()
    },
    getAlarm: async () => alarm.at,
    setAlarm: async (at) => alarm.set(at),
    deleteAlarm: async () => alarm.clear(),
  }
}
