// Drizzle over a client of our own. Its entry for the web brings a whole client of the database with it, which nothing would use.

import type { Client } from '@libsql/client/web'
import * as driver from 'drizzle-orm/libsql/driver-core'

/** What its own entries call; the types leave it out. */
const { construct } = driver as unknown as { construct(client: Client): driver.LibSQLDatabase }

/** As much of a client is needed as the queries ask for: `execute`, or nothing where they are only written out. */
export const drizzleOver = (client: Pick<Client, 'execute'> | object): driver.LibSQLDatabase =>
  construct(client as Client)
