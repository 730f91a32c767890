// Copies a whole libSQL database over HTTP into a file and back, in one read transaction, so that the copy is consistent.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Client, createClient, type InValue } from '@libsql/client/web'
import type { DatabaseAccess } from '../parts/database.ts'

const PAGE = 500

interface Made {
  name: string
  sql: string
}

/** Tables before their indexes, triggers last; SQLite creates its internal tables itself. */
const SCHEMA = `select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'
  and name not like 'libsql_%' order by type = 'trigger', type desc, rowid`

const isTable = ({ sql }: Made) => /^create table/i.test(sql)
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Answers how many rows were copied. */
export async function dump({ url, token }: DatabaseAccess, file: string): Promise<number> {
  const client = createClient({ url, authToken: token })
  // Off, because tables are copied in any order.
  const copy = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  let rows = 0
  try {
    const reading = await client.transaction('read')
    const schema = (await reading.execute(SCHEMA)).rows as unknown as Made[]
    copy.exec('begin')
    for (const { sql } of schema) copy.exec(sql)
    for (const { name } of schema.filter(isTable)) {
      for (let after = -1; ; ) {
        const sql = `select rowid as "the rowid", * from ${quoted(name)} where rowid > ? order by rowid limit ${PAGE}`
        const page = await reading.execute({ sql, args: [after] })
        for (const row of page.rows) {
          const values = page.columns.slice(1).map((_, at) => forFile(row[at + 1]))
          insertInto(copy, name, page.columns.slice(1)).run(...values)
          after = Number(row[0])
          rows++
        }
        if (page.rows.length < PAGE) break
      }
    }
    copy.exec('commit')
    reading.close()
    return rows
  } finally {
    copy.close()
    client.close()
  }
}

const insertSql = (name: string, columns: string[]) =>
  `insert into ${quoted(name)} (${columns.map(quoted).join()}) values (${columns.map(() => '?').join()})`

const insertInto = (copy: DatabaseSync, name: string, columns: string[]) =>
  copy.prepare(insertSql(name, columns))

const forFile = (value: InValue | undefined): SQLInputValue =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : ((value ?? null) as SQLInputValue)

/** Restores into a database without tables. */
export async function load({ url, token }: DatabaseAccess, file: string): Promise<void> {
  const client = createClient({ url, authToken: token })
  const copy = new DatabaseSync(file, { readOnly: true })
  try {
    const schema = copy.prepare(SCHEMA).all() as unknown as Made[]
    await client.batch(
      schema.map(({ sql }) => sql),
      'write',
    )
    // Tables that others refer to come first.
    const refers = ({ sql }: Made) => Number(/\breferences\b/i.test(sql))
    const tables = schema.filter(isTable).sort((one, other) => refers(one) - refers(other))
    for (const { name } of tables) await loadRows(client, copy, name)
  } finally {
    copy.close()
    client.close()
  }
}

async function loadRows(client: Client, copy: DatabaseSync, name: string): Promise<void> {
  let waiting: { sql: string; args: InValue[] }[] = []
  for (const row of copy.prepare(`select * from ${quoted(name)}`).iterate()) {
    waiting.push({ sql: insertSql(name, Object.keys(row)), args: Object.values(row) as InValue[] })
    if (waiting.length < PAGE) continue
    await client.batch(waiting, 'write')
    waiting = []
  }
  if (waiting.length > 0) await client.batch(waiting, 'write')
}
