// A store on a libSQL server that several hosts share, so that one can take over the sessions of another.

import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient } from '@libsql/client'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { StoreFault } from '../process/store-fault.ts'
import { HeavyReads } from './heavy-reads.ts'
import { createStore, type Engine, MIGRATIONS, refuseOtherVersion, type Store } from './host-store.ts'
import { Guard } from './store-guard.ts'

/** Shorter than the guard's limit, so that the connection is closed before the call is given up. */
const MAX_RESPONSE_MS = 8 * SECOND
const MAX_ATTEMPTS = 5

/** `url` is libsql:// or http(s)://. Throws StoreFault when the server does not answer. */
export async function openSharedStore(url: string, token: string): Promise<Store> {
  const client = createClient({ url, ...(token && { authToken: token }), fetch: fetchWithTimeout })
  const guard = new Guard()
  await guard.runWrite(() => refuseOtherVersion(client))
  await guard.runWrite(() => migrateServer(client))
  const engine: Engine = {
    execute: (query) => client.execute(query),
    commit: async (batch) => void (await client.batch(batch, 'write')),
    async close() {
      await heavyReads.close()
      client.close()
    },
  }
  // The server does the work, and each request to it has its time: only the turns are made here.
  const heavyReads = new HeavyReads({
    execute: (query) => guard.runRead(() => client.execute(query)),
    close: () => undefined,
  })
  return createStore(engine, guard, heavyReads)
}

async function fetchWithTimeout(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(MAX_RESPONSE_MS) })
  } catch (cause) {
    throw new StoreFault('unreachable', { cause })
  }
}

/** Hosts that start at the same time migrate at the same time: one succeeds, and the others find it done. */
async function migrateServer(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error
      await wait(Math.random() * SECOND)
    }
  }
}
