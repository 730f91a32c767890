// Reads every row of a database as data, in one read transaction: names and values, no SQL of the database itself.

import type { InValue } from '@libsql/client'

export type Value = string | number | null | Uint8Array

/** What a backup consists of: the head of a table before its rows, and the last number that each counting table gave out. */
export type Line =
  | { table: string; columns: string[] }
  | { values: Value[] }
  | { counter: string; last: number }

/** Returns rows as arrays. All queries of one backup run in one read transaction. */
export type Query = (sql: string, ...args: InValue[]) => Promise<Value[][]>

const MAX_ROWS = 500

/** SQLite's own tables and those that count migrations are not copied. */
const TABLES = `select name, sql from sqlite_master where type = 'table' and sql like 'create table%'
  and name not like 'sqlite\\_%' escape '\\' and name not like 'libsql\\_%' escape '\\' and name not like '\\_\\_%' escape '\\'
  order by name`

export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Tables that others refer to come first, because the rows of a restore are checked as they are inserted. */
function sortByReferences(tables: Value[][]): string[] {
  const left = new Map(tables.map(([name, sql]) => [String(name), listReferences(String(sql))]))
  const sorted: string[] = []
  while (left.size > 0) {
    const ready = [...left.keys()].filter((name) =>
      left.get(name)?.every((other) => other === name || !left.has(other)),
    )
    if (ready.length === 0) throw new Error(`tables refer to each other: ${[...left.keys()].join()}`)
    for (const name of ready) left.delete(name)
    sorted.push(...ready)
  }
  return sorted
}

const listReferences = (sql: string): string[] =>
  [...sql.matchAll(/\breferences\s+[`"]?(\w+)/gi)].map(([, table = '']) => table)

/** `excluded`: tables that are not copied. */
export async function* readRows(query: Query, excluded: readonly string[]): AsyncGenerator<Line> {
  const names = sortByReferences(await query(TABLES)).filter((name) => !excluded.includes(name))
  for (const table of names) {
    const columns = (await query('select name from pragma_table_info(?)', table)).map(([name]) =>
      String(name),
    )
    yield { table, columns }
    yield* readTable(query, table, columns)
  }
  const counters = await query("select 1 from sqlite_master where name = 'sqlite_sequence'")
  if (counters.length === 0) return
  for (const [counter, last] of await query('select name, seq from sqlite_sequence'))
    if (names.includes(String(counter))) yield { counter: String(counter), last: Number(last) }
}

const KEY = `select name from pragma_table_info(?1) where pk > 0
  and (select sql from sqlite_master where name = ?1) like '%without rowid' order by pk`

/** Page by page. A page that is too large for one response of the server is requested in smaller ones. */
async function* readTable(query: Query, table: string, columns: string[]): AsyncGenerator<Line> {
  const named = (await query(KEY, table)).map(([name]) => quoteName(String(name)))
  const key = named.length > 0 ? named : ['rowid']
  const sql = `select ${[...key, ...columns.map(quoteName)].join()} from ${quoteName(table)}
    where (${key.join()}) > (${key.map(() => '?').join()}) order by ${key.join()} limit ?`
  // Keys are numbers, and this is the smallest.
  let after: Value[] = key.map(() => -(2 ** 53) + 1)
  for (let limit = MAX_ROWS; ; ) {
    let page: Value[][]
    try {
      page = await query(sql, ...after, limit)
    } catch (error) {
      if (limit === 1 || !isTooLarge(error)) throw error
      limit = Math.ceil(limit / 4)
      continue
    }
    for (const row of page) yield { values: row.slice(key.length) }
    after = page.at(-1)?.slice(0, key.length) ?? after
    if (page.length < limit) return
    limit = Math.min(MAX_ROWS, limit * 2)
  }
}

const isTooLarge = (error: unknown): boolean =>
  /too large|response size/i.test(error instanceof Error ? error.message : '')
