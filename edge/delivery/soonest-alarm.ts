// The alarm of a courier: its object has only one, and the soonest requested time is the one that is set.

import type { ObjectStorage } from '../runtime/runtime.ts'

export class SoonestAlarm {
  readonly #storage: ObjectStorage
  /** The alarm that is set, if any. */
  #at: number | undefined
  /** Resolves when the instance's id is stored and the alarm that was set before hibernation is known. */
  #prepared: Promise<void> | undefined

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  /** Called when the alarm runs. Returns the instance that it is for; undefined after `deleteAlarm`. */
  async onAlarm(): Promise<string | undefined> {
    const instanceId = await this.#storage.get<string>('instance')
    if (instanceId) this.#at = undefined
    return instanceId
  }

  async setNotLater(instanceId: string, at: number): Promise<void> {
    this.#prepared ??= this.#prepareStorage(instanceId).catch((error) => {
      this.#prepared = undefined
      throw error
    })
    await this.#prepared
    if (this.#at !== undefined && this.#at <= at) return
    const before = this.#at
    this.#at = at
    await this.#storage.setAlarm(at).catch((error) => {
      // The one that was set before, if any, stays set.
      if (this.#at === at) this.#at = before
      throw error
    })
  }

  async deleteAlarm(): Promise<void> {
    this.#at = undefined
    this.#prepared = undefined
    await this.#storage.deleteAlarm()
    await this.#storage.deleteAll()
  }

  /** Called for the first alarm only: an object that just delivers needs no storage. */
  async #prepareStorage(instanceId: string): Promise<void> {
    this.#at ??= (await this.#storage.getAlarm()) ?? undefined
    // An alarm is called without the name of its object.
    await this.#storage.put('instance', instanceId)
  }
}
