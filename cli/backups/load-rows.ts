// Inserts the rows of a backup into tables that the migrations of this version have created. Names are checked, and only values are used.

import type { InValue } from '@libsql/client'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { type Line, quoteName, type Value } from './read-rows.ts'

export interface RowTarget {
  columnNames(table: string): Promise<string[]>
  insertRows(sql: string, rows: Value[][]): Promise<void>
  runStatement(sql: string, ...args: InValue[]): Promise<void>
}

/** Of the index of words: a host fills it from the messages (docs/decisions/088-search-in-messages.md). */
const WORDS = ['indexed', 'changed', 'deleted'].map((what) => `${what}_words`)
const WORDS_INDEX = ['data', 'idx', 'docsize', 'config'].map((part) => `message_words_${part}`)

/** Never restored, and not in backups of this version: an old ratchet must never encrypt again (docs/decisions/052-no-copy-of-ratchets.md). */
export const NOT_COPIED: readonly string[] = ['credentials', ...WORDS, ...WORDS_INDEX]

/**
 * Tables, and columns as `table.column`, that earlier versions had and this one has not: their values are not restored. Any
 * other unknown name is refused, because it is from a newer version.
 */
const DROPPED: ReadonlySet<string> = new Set()

const MAX_BATCH_ROWS = 500
const MAX_BATCH_BYTES = 1 << 20

/** A table of the backup as it is restored. */
interface TableHead {
  insertSql: string
  /** Positions of the values that are restored. */
  positions: number[]
}

/** Returns how many rows were inserted. */
export async function loadRows(lines: AsyncIterable<Line>, target: RowTarget): Promise<number> {
  let head: TableHead | undefined
  let pending: Value[][] = []
  let bytes = 0
  let rows = 0
  const flushPending = async () => {
    if (head && pending.length > 0) await target.insertRows(head.insertSql, pending)
    rows += pending.length
    pending = []
    bytes = 0
  }
  for await (const line of lines) {
    if ('values' in line) {
      if (!head) continue
      pending.push(head.positions.map((at) => line.values[at] ?? null))
      bytes += countBytes(line.values)
      if (pending.length >= MAX_BATCH_ROWS || bytes >= MAX_BATCH_BYTES) await flushPending()
      continue
    }
    await flushPending()
    if ('counter' in line) await setCounter(target, line.counter, line.last)
    else head = await readHead(target, line.table, line.columns)
  }
  await flushPending()
  return rows
}

/** Undefined for a table that is not restored. */
async function readHead(target: RowTarget, table: string, columns: string[]): Promise<TableHead | undefined> {
  if (NOT_COPIED.includes(table) || DROPPED.has(table)) return undefined
  const known = await target.columnNames(table)
  if (known.length === 0) throw new OperatorError(describeUnknown(`a table "${table}"`))
  const positions = columns.flatMap((column, at) => {
    if (known.includes(column)) return [at]
    if (DROPPED.has(`${table}.${column}`)) return []
    throw new OperatorError(describeUnknown(`a column "${table}.${column}"`))
  })
  const names = positions.map((at) => quoteName(columns[at] ?? ''))
  const marks = names.map(() => '?')
  return {
    insertSql: `insert into ${quoteName(table)} (${names.join()}) values (${marks.join()})`,
    positions,
  }
}

const describeUnknown = (what: string) =>
  `The backup has ${what}, which this version does not know: restore it with the version that made it.`

/** So that the number of a deleted row is not used again. */
async function setCounter(target: RowTarget, counter: string, last: number): Promise<void> {
  if ((await target.columnNames(counter)).length === 0) return
  await target.runStatement('delete from sqlite_sequence where name = ?', counter)
  await target.runStatement('insert into sqlite_sequence (name, seq) values (?, ?)', counter, last)
}

const countBytes = (values: Value[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )
