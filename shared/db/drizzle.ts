// Drizzle with our own client. Its entry for the web would bundle a whole client of the database, which is not used.

import type { Client } from '@libsql/client/web'
import * as driver from 'drizzle-orm/libsql/driver-core'

/** Drizzle's own entries call this function; its types do not declare it. */
const { construct } = driver as unknown as { construct(client: Client): driver.LibSQLDatabase }

/** The client needs `execute` only, or nothing if the queries are only turned into SQL. */
export const createDrizzle = (client: Pick<Client, 'execute'> | object): driver.LibSQLDatabase =>
  construct(client as Client)
