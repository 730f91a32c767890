// The usernames of a session's people: stored when the network names a new one, found for the messages that they write.

import type { Person } from '../driver/driver.ts'
import { createGrowingCache } from '../process/growing-cache.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { findUsernames, hasUsernames, listJidForms, storeUsernames } from '../store/username-store.ts'
import type { Batch } from './intake-batch.ts'

/** Ids per session. */
const MAX_CACHED = 512

/** Its calls run in turn with the other news of the session, so that what it caches is what is stored. */
export class KnownUsernames {
  readonly #store: FencedStore
  readonly #instance: string
  /** By id; empty for a person without one. */
  readonly #cache = createGrowingCache<string, string>(MAX_CACHED)
  /** Whether any is stored: of most accounts none is, and they need no read for each person. */
  #isUsed: boolean | undefined

  constructor(store: FencedStore, instance: string) {
    this.#store = store
    this.#instance = instance
  }

  /** Stores those that are new. */
  addTo(batch: Batch, people: Person[]): void {
    const news = people.filter(
      (person) => person.username !== undefined && this.#readCached(person) !== person.username,
    )
    if (news.length === 0) return
    batch.addStatement(storeUsernames(this.#instance, news))
    batch.onCommitted(() => {
      this.#isUsed = true
      for (const person of news) this.#cacheForms(person, person.username ?? '')
    })
  }

  /** The person with the username, if it is known. */
  async complete(person: Person): Promise<Person> {
    if (person.username !== undefined) return person
    this.#isUsed ??= await hasUsernames(this.#store, this.#instance)
    const username = this.#isUsed ? (this.#readCached(person) ?? (await this.#readStored(person))) : ''
    return username === '' ? person : { ...person, username }
  }

  /** For another account, or when another host may have stored some. */
  clear(): void {
    this.#isUsed = undefined
    this.#cache.clear()
  }

  async #readStored(person: Person): Promise<string> {
    const found = await findUsernames(this.#store, this.#instance, listJidForms(person))
    const [username = ''] = found.values()
    this.#cacheForms(person, username)
    return username
  }

  #readCached(person: Person): string | undefined {
    return listJidForms(person)
      .map((id) => this.#cache.get(id))
      .find((username) => username !== undefined)
  }

  #cacheForms(person: Person, username: string): void {
    for (const id of listJidForms(person)) this.#cache.set(id, username)
  }
}
