// What came of attempts on its way into the database, written while the next attempt is made.

import { SECOND } from '../../shared/clock.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from '../store/database.ts'

/**
 * So many deliveries of an instance may be repeated after a kill: those that the receiver has and the database does
 * not know of. More would be faster for one instance only: what many write at the same time is one commit anyway.
 */
const UNSETTLED_AT_MOST = 2
/** A database that is being started again is waited for: giving up would deliver again what was delivered. */
const TRIES = 60
const TRY_AGAIN_IN = SECOND

export class Settlements {
  readonly #store: Store
  #waiting: Statement[][] = []
  #underWay = 0
  #writing: Promise<void> | undefined
  #failure: unknown

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns at once unless too much is unsettled. Throws what an earlier write failed with. */
  async add(statements: Statement[]): Promise<void> {
    this.#waiting.push(statements)
    if (!this.#writing) this.#write()
    while (this.#writing && this.#waiting.length + this.#underWay >= UNSETTLED_AT_MOST) await this.#writing
    this.#complain()
  }

  /** Once all of it is written. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing
    this.#complain()
  }

  #write(): void {
    const batch = this.#waiting.splice(0)
    this.#underWay = batch.length
    this.#writing = this.#attempt(batch.flat()).then(
      () => this.#written(),
      (error) => {
        this.#failure = error
        this.#written()
      },
    )
  }

  #written(): void {
    this.#underWay = 0
    this.#writing = undefined
    if (this.#waiting.length > 0) this.#write()
  }

  async #attempt(statements: Statement[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#store.write(statements)
        return
      } catch (error) {
        if (tries === TRIES) throw error
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_IN))
      }
    }
  }

  #complain(): void {
    if (this.#failure) throw this.#failure
  }
}
