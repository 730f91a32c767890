// What came of an attempt on its way into the database, before the next attempt is made.

import { SECOND } from '../../shared/clock.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from '../store/database.ts'

const TRIES = 60
const TRY_AGAIN_IN = SECOND

/**
 * After a kill what the receiver has and the database does not know of is delivered again: one event of an instance,
 * because its courier waits here. A database that is being started again is waited for too. Throws what the last try
 * failed with.
 */
export async function settle(store: Store, statements: Statement[]): Promise<void> {
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
