// Restores rows into an empty database of a libSQL server, all of them or none.

import type { Client } from '@libsql/client'
import { createClient, type InValue } from '@libsql/client/web'
import type { DatabaseAccess } from '../parts/database.ts'
import { Complaint } from '../settings/settings.ts'
import type { RowTarget } from './load-rows.ts'
import { quoted, type Value } from './rows.ts'

/** Where migrations are counted, and the name of that table until the last row is there. */
const COUNTED = '__drizzle_migrations'
const UNFINISHED = '__restore_unfinished'

/** Tables that refer to others come first, so that they can be dropped in this order. */
const TABLES = `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'
  and name not like 'libsql\\_%' escape '\\' order by sql not like '%references%', name`

/** The restore of one part. */
export interface Restoring {
  /** Makes the data visible to the gateway. */
  finish(): Promise<void>
  /** Removes all that was written, also after `finish`. */
  undo(): Promise<void>
}

/**
 * Until `finish`, the migrations are not counted as done: an edge or host that starts meanwhile, or after a restore that was
 * killed, fails at its first migration and does not work with half of the data.
 */
export async function fillServer(
  access: DatabaseAccess,
  migrate: () => Promise<void>,
  load: (target: RowTarget) => Promise<void>,
): Promise<Restoring> {
  const client = createClient({ url: access.url, authToken: access.token })
  // Not closed after `finish`: another part may still fail, and then this one is undone too.
  const undo = async () => {
    await dropTables(client)
    client.close()
  }
  try {
    await refuseData(client, access.url)
    await migrate()
    await client.execute(`alter table ${COUNTED} rename to ${UNFINISHED}`)
  } catch (error) {
    client.close()
    throw error
  }
  try {
    await load(makeTarget(client))
  } catch (error) {
    await undo()
    throw error
  }
  return {
    async finish() {
      await client.execute(`alter table ${UNFINISHED} rename to ${COUNTED}`)
    },
    undo,
  }
}

/** Throws a Complaint if the database has a row. */
export async function refuseData(client: Client, url: string): Promise<void> {
  const tables = (await client.execute(TABLES)).rows.map((row) => String(row[0]))
  if (tables.includes(UNFINISHED))
    throw new Complaint(`A restore into ${url} was cut short: make that database anew, and restore again.`)
  for (const table of tables.filter((name) => name !== COUNTED)) {
    const { rows } = await client.execute(`select 1 from ${quoted(table)} limit 1`)
    if (rows.length > 0)
      throw new Complaint(`${url} has data already (table ${table}): restore into an empty database.`)
  }
}

async function dropTables(client: Client): Promise<void> {
  for (const row of (await client.execute(TABLES)).rows)
    await client.execute(`drop table ${quoted(String(row[0]))}`)
}

function makeTarget(client: Client): RowTarget {
  return {
    async columnNames(table) {
      const sql = 'select name from pragma_table_info(?)'
      return (await client.execute({ sql, args: [table] })).rows.map((row) => String(row[0]))
    },
    async insert(sql: string, rows: Value[][]) {
      await client.batch(
        rows.map((args) => ({ sql, args })),
        'write',
      )
    },
    async run(sql: string, ...args: InValue[]) {
      await client.execute({ sql, args })
    },
  }
}
