// When a courier is to look again: its object has one alarm, and the soonest time that anybody wants is the one that is set.

export class SoonestAlarm {
  readonly #storage: DurableObjectStorage
  /** The alarm that is set, if any. */
  #at: number | undefined
  /** What an alarm needs to know is stored, and what was set before this life of the object is known. */
  #prepared: Promise<void> | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Whose the alarm is that has just gone off; undefined after `forget`. */
  async wentOff(): Promise<string | undefined> {
    const instanceId = await this.#storage.get<string>('instance')
    if (instanceId) this.#at = undefined
    return instanceId
  }

  async set(instanceId: string, at: number): Promise<void> {
    this.#prepared ??= this.#prepare(instanceId).catch((error) => {
      this.#prepared = undefined
      throw error
    })
    await this.#prepared
    if (this.#at !== undefined && this.#at <= at) return
    this.#at = at
    await this.#storage.setAlarm(at)
  }

  async forget(): Promise<void> {
    this.#at = undefined
    this.#prepared = undefined
    await this.#storage.deleteAlarm()
    await this.#storage.deleteAll()
  }

  /** Not before the first alarm: an object that only delivers needs no storage. */
  async #prepare(instanceId: string): Promise<void> {
    this.#at ??= (await this.#storage.getAlarm()) ?? undefined
    // An alarm knows the object only by its hash.
    await this.#storage.put('instance', instanceId)
  }
}
