// A store on a libSQL server that several hosts share, so that one can take over the sessions of another.

import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { SECOND } from '../../shared/clock.ts'
import { StoreFault } from './fault.ts'
import { makeGuard } from './guard.ts'
import { type Engine, MIGRATIONS, refuseNewer, type Store, storeOn } from './store.ts'

/** Shorter than the guard's limit, so that the connection is closed before the call is given up. */
const ANSWER_WITHIN = 8 * SECOND
const TRIES = 5

/** `url` is libsql:// or http(s)://. Throws StoreFault when the server does not answer. */
export async function openSharedStore(url: string, token: string): Promise<Store> {
  const client = createClient({ url, ...(token && { authToken: token }), fetch: boundedFetch })
  const guard = makeGuard()
  await guard.writing(() => refuseNewer(client))
  await guard.writing(() => bringUpToDate(client))
  const engine: Engine = {
    execute: (query) => client.execute(query),
    commit: async (batch) => void (await client.batch(batch, 'write')),
    close: () => client.close(),
  }
  return storeOn(engine, guard)
}

async function boundedFetch(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(ANSWER_WITHIN) })
  } catch (cause) {
    throw new StoreFault('unreachable', { cause })
  }
}

/** Hosts that start at the same time migrate at the same time: one succeeds, and the others find it done. */
async function bringUpToDate(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
    } catch (thrown) {
      if (attempt === TRIES) throw thrown
      await wait(Math.random() * SECOND)
    }
  }
}
