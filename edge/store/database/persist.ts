// Writes that record something that has already happened: if the database is not reachable, they are tried again.

import { SECOND } from '../../../shared/clock.ts'
import type { Statement } from '../../../shared/db/statements.ts'
import type { Store } from './database.ts'

const TRIES = 60
const TRY_AGAIN_IN = SECOND

/** All or nothing, like `write`. Throws the error of the last try. */
export async function persist(store: Store, statements: Statement[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await store.write(statements)
      return
    } catch (error) {
      if (tries === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_IN))
    }
  }
}
