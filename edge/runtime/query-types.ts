// Types of queries and results, the same for each database.

export type Value = null | string | number | bigint | boolean | ArrayBuffer | Uint8Array | Date

export interface Query {
  sql: string
  args: Value[]
  /** May replace the query if several requests read the same at the same time. */
  bulk?: Bulk
  /** It may read much. Where the database is a part of the process, another thread reads it. */
  isLarge?: true
  /**
   * SQL of one value. While it and all rows stay the same, so does the result: a database in this process then need not read it
   * again. It stands for what changes without a write, which is the time.
   */
  changesWith?: string
}

/** The FROM clause of bulk statements: `given.value` is an item. They may have no other `?`. */
export const GIVEN = 'json_each(?1) given'

/** One statement for several equal queries of the same moment that differ in one value. */
export interface Bulk {
  /** Its only argument is the JSON list of the items; the first column of each row is the name of its item. */
  sql: string
  item: unknown
  /** Equal names mean the same item. */
  name: string
}

/** Rows are arrays, in the order of the columns. Integers are numbers, blobs ArrayBuffers. */
export interface Result {
  columns: string[]
  rows: unknown[][]
  rowsAffected: number
}

/** Rejects with a StorageError if there is no response in time, and with a DatabaseRefusal if a statement is refused. */
export interface Database {
  read(queries: Query[]): Promise<Result[]>
  /** All in one transaction. */
  write(queries: Query[]): Promise<Result[]>
  /** Rejects unless the database responds within two seconds. */
  ping(): Promise<void>
  /** How many milliseconds a write of many rows may take, because others wait for it. */
  readonly maxWriteMs: number
}
