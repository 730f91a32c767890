// A further connection to the host's own file: each statement runs in another thread, and can be interrupted.

import type { InValue, ResultSet } from '@libsql/client'
import { toDatabaseValue, toResultSet } from '@msgnet/shared/node/local-file.ts'
import Database from 'libsql/promise'

/** The statement was interrupted because its signal was aborted. */
export class ReadInterrupted extends Error {}

export interface BoundStatement {
  sql: string
  args: InValue[]
}

/**
 * While a statement runs, its connection is locked. The garbage collector releases a handle of an earlier one under the same
 * lock, and would hold up the whole process until the running one ends. So all handles live as long as their connection, which
 * is replaced after this many reads: those of a connection without a running statement are released at once.
 */
const MAX_READS = 100
/** An interrupt is lost while the statement waits for a thread. */
const INTERRUPT_AGAIN_MS = 20

/** The library's types say `any` in most places. */
interface Handle {
  raw(): Handle
  columns(): { name: string }[]
  iterate(args: InValue[]): Promise<Iterable<unknown[]>>
}

interface Prepared {
  handle: Handle
  columns: string[]
}

export class ReadConnection {
  readonly #path: string
  #database: Database | undefined
  #prepared = new Map<string, Prepared>()
  #handles: unknown[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** One at a time. Rows are arrays, blobs in them Buffers. Throws ReadInterrupted. */
  async execute({ sql, args }: BoundStatement, signal: AbortSignal): Promise<ResultSet> {
    const database = await this.#open()
    if (signal.aborted) throw new ReadInterrupted()
    let timer: NodeJS.Timeout | undefined
    const interrupt = () => {
      database.interrupt()
      timer = setTimeout(interrupt, INTERRUPT_AGAIN_MS)
    }
    signal.addEventListener('abort', interrupt, { once: true })
    try {
      const { handle, columns } = await this.#prepare(database, sql)
      const iterator = await handle.iterate(args.map(toDatabaseValue))
      this.#handles.push(iterator)
      const rows = [...iterator]
      return toResultSet(columns, rows, rows.length)
    } catch (error) {
      throw isInterrupt(error) ? new ReadInterrupted('the read was interrupted', { cause: error }) : error
    } finally {
      signal.removeEventListener('abort', interrupt)
      clearTimeout(timer)
    }
  }

  /** Not while a statement runs. The library ends the process for a call on a closed connection. */
  close(): void {
    this.#database?.close()
    this.#database = undefined
    this.#prepared = new Map()
    this.#handles = []
  }

  async #open(): Promise<Database> {
    if (this.#handles.length >= MAX_READS) this.close()
    if (this.#database) return this.#database
    const database = new Database(this.#path, {})
    this.#database = database
    await database.exec('PRAGMA query_only = ON')
    return database
  }

  async #prepare(database: Database, sql: string): Promise<Prepared> {
    const known = this.#prepared.get(sql)
    if (known) return known
    const handle: Handle = (await database.prepare(materialize(sql))).raw()
    const prepared = { handle, columns: handle.columns().map(({ name }) => name) }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

/** The library runs a statement in another thread up to its first row only, so all the work is done before that. */
const materialize = (sql: string): string =>
  `WITH found_rows AS MATERIALIZED (${sql}) SELECT * FROM found_rows`

const isInterrupt = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SQLITE_INTERRUPT'
