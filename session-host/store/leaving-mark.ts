// A stored row says whether something of its effect may have left. Mostly that is known before the row is written, and takes no second write.

import type { InStatement } from '@libsql/client'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { FencedStore } from './fenced-store.ts'

export class LeavingMark {
  readonly #store: FencedStore
  readonly #instance: string
  readonly #buildUpdate: () => Statement
  #hasLeft = false
  /** The row was written, or its write is under way. */
  #isWritten = false

  /** `buildUpdate`: sets the mark in the row that `createInsert` has written. */
  constructor(store: FencedStore, instance: string, buildUpdate: () => Statement) {
    this.#store = store
    this.#instance = instance
    this.#buildUpdate = buildUpdate
  }

  /** The statement that writes the row; `build` is called when it is written. */
  createInsert(build: (hasLeft: boolean) => InStatement): Statement {
    return {
      toSQL: () => {
        this.#isWritten = true
        const statement = build(this.#hasLeft)
        if (typeof statement === 'string') return { sql: statement, params: [] }
        return { sql: statement.sql, params: statement.args as unknown[] }
      },
    }
  }

  /** On disk before the next frame of the instance. */
  set(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    if (this.#isWritten) this.#store.writeBeforeFrame(this.#instance, [this.#buildUpdate()])
  }
}
