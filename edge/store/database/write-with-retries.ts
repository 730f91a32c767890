// Writes that record something that has already happened: if the database is not reachable, they are tried again.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Store } from './open-store.ts'

const MAX_TRIES = 60
const RETRY_AFTER_MS = SECOND

/** All or nothing, like `write`. Throws the error of the last try. */
export async function writeWithRetries(store: Store, statements: Statement[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await store.write(statements)
      return
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS))
    }
  }
}
