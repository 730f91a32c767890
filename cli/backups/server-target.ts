// Restores rows into an empty database of a libSQL server, all of them or none.

import type { Client } from '@libsql/client'
import { createClient, type InValue } from '@libsql/client/web'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { DatabaseAccess } from '../parts/database-part.ts'
import type { RowTarget } from './load-rows.ts'
import { type PendingRestore, rollBackAll } from './pending-restore.ts'
import { quoteName, type Value } from './read-rows.ts'

/** Where migrations are counted, and the name of that table until the last row is there. */
const MIGRATIONS_TABLE = '__drizzle_migrations'
const UNFINISHED_TABLE = '__restore_unfinished'

/** Tables that refer to others come first, so that they can be dropped in this order. */
const TABLES = `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'
  and name not like 'libsql\\_%' escape '\\' order by sql not like '%references%', name`

/**
 * Until `finishRestore`, the migrations are not counted as done: an edge or host that starts meanwhile, or after a restore that was
 * killed, fails at its first migration and does not work with half of the data.
 */
export async function restoreIntoServer(
  access: DatabaseAccess,
  migrate: () => Promise<void>,
  load: (target: RowTarget) => Promise<void>,
): Promise<PendingRestore> {
  const client = createClient({ url: access.url, authToken: access.token })
  // Not closed after `finishRestore`: another part may still fail, and then this one is undone too.
  const rollBack = () => dropTables(client).finally(() => client.close())
  try {
    await refuseData(client, access.url)
    await migrate()
    await client.execute(`alter table ${MIGRATIONS_TABLE} rename to ${UNFINISHED_TABLE}`)
  } catch (error) {
    client.close()
    throw error
  }
  try {
    await load(createTarget(client))
  } catch (error) {
    await rollBackAll([{ rollBack }])
    throw error
  }
  return {
    async finishRestore() {
      await client.execute(`alter table ${UNFINISHED_TABLE} rename to ${MIGRATIONS_TABLE}`)
    },
    rollBack,
  }
}

/** Throws an OperatorError if the database has a row. */
async function refuseData(client: Client, url: string): Promise<void> {
  const tables = (await client.execute(TABLES)).rows.map((row) => String(row[0]))
  if (tables.includes(UNFINISHED_TABLE))
    throw new OperatorError(
      `A restore into ${url} was interrupted: create that database again, and restore again.`,
    )
  for (const table of tables.filter((name) => name !== MIGRATIONS_TABLE)) {
    const { rows } = await client.execute(`select 1 from ${quoteName(table)} limit 1`)
    if (rows.length > 0)
      throw new OperatorError(`${url} has data already (table ${table}): restore into an empty database.`)
  }
}

async function dropTables(client: Client): Promise<void> {
  for (const row of (await client.execute(TABLES)).rows)
    await client.execute(`drop table ${quoteName(String(row[0]))}`)
}

function createTarget(client: Client): RowTarget {
  return {
    async columnNames(table) {
      const sql = 'select name from pragma_table_info(?)'
      return (await client.execute({ sql, args: [table] })).rows.map((row) => String(row[0]))
    },
    async insertRows(sql: string, rows: Value[][]) {
      await client.batch(
        rows.map((args) => ({ sql, args })),
        'write',
      )
    },
    async runStatement(sql: string, ...args: InValue[]) {
      await client.execute({ sql, args })
    },
  }
}
