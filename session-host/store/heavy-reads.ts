// Reads of an instance that may take long: in turns by instance, away from the thread that serves every session, and cut off in time.

import type { Client, InStatement, InValue, ResultSet } from '@libsql/client'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { PreparedQuery } from '@msgnet/shared/db/prepared-queries.ts'
import { FairTurns, type TurnLimits, type TurnRefusalReason, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { type BoundStatement, ReadConnection, ReadInterrupted } from './read-connection.ts'
import { nameColumns, type Row } from './sql.ts'
import type { Guard } from './store-guard.ts'

/** What reads of a store need. */
export interface StoreReader {
  db: LibSQLDatabase
  read<Rows>(query: PreparedQuery<Rows>, values: object): Promise<Rows>
  /** The rows of a query, by the names of their columns. */
  rows(sql: string, ...params: InValue[]): Promise<Row[]>
}

/** As many as there are connections, so that none waits for another. Searches of 5,000 chats take some ten milliseconds. */
const LIMITS: TurnLimits = {
  maxUnderWay: 2,
  maxUnderWayOfOne: 1,
  maxWaiting: 64,
  maxWaitingOfOne: 8,
  costPerMinute: MINUTE / 4,
}

/** A checkpoint cannot restart the log while a read uses an old state of the file. */
const MAX_READ_MS = 3 * SECOND

/** To read, parse and write so much text takes a host about a millisecond. */
const CHARACTERS_PER_MS = 50_000

/** The read was not begun, or was cut off. The caller gets it as 429 `quota_reached`. */
export class ReadRefused extends Error {
  /** Milliseconds after which it may be requested again. */
  readonly waitMs: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.waitMs = waitMs
  }
}

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many searches and lists are waiting.',
  cost: 'The searches and lists of the instance have used their time of this minute.',
  time: 'Other searches and lists took all the time there was.',
}

/** Runs the statements of heavy reads, at most `maxUnderWay` at a time. */
interface ReadEngine {
  execute(statement: BoundStatement, signal: AbortSignal): Promise<ResultSet>
  /** Called when none runs. */
  close(): void
}

export class HeavyReads {
  readonly turns: FairTurns
  readonly #engine: ReadEngine
  readonly #maxReadMs: number
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  constructor(engine: ReadEngine, { maxReadMs = MAX_READ_MS, limits = {} }: HeavyReadOptions = {}) {
    this.#engine = engine
    this.#maxReadMs = maxReadMs
    this.turns = new FairTurns({ ...LIMITS, ...limits })
  }

  /**
   * Runs `work` when it is the instance's turn. It sees what was committed before its statements begin. Throws ReadRefused, and
   * StoreFault as the store itself.
   */
  async run<Value>(
    instance: string,
    work: (reader: StoreReader) => Promise<Value>,
    deadline: AbortSignal,
  ): Promise<Value> {
    const ending = AbortSignal.any([deadline, this.#closing.signal])
    const running = this.turns.runTimed(instance, () => this.#runCutOff(work, ending), ending)
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      if (error instanceof TurnRefused) throw new ReadRefused(refusals[error.reason], error.waitMs)
      throw error
    } finally {
      this.#running.delete(running)
    }
  }

  /**
   * Runs a read that an index leads to, at once and where it is called: most of it is the text that it returns, so that is what its
   * instance is charged. Throws ReadRefused.
   */
  async runQuick<Value>(
    instance: string,
    read: () => Promise<Value>,
    countCharacters: (value: Value) => number,
  ): Promise<Value> {
    const waitMs = this.turns.charge(instance, 0)
    if (waitMs > 0) throw new ReadRefused(refusals.cost, waitMs)
    const value = await read()
    this.turns.charge(instance, countCharacters(value) / CHARACTERS_PER_MS)
    return value
  }

  /** Cuts off what runs, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running)
    this.#engine.close()
  }

  async #runCutOff<Value>(
    work: (reader: StoreReader) => Promise<Value>,
    ending: AbortSignal,
  ): Promise<Value> {
    const cutOff = new AbortController()
    const timer = setTimeout(() => cutOff.abort(), this.#maxReadMs)
    const signal = AbortSignal.any([ending, cutOff.signal])
    try {
      return await work(createReader((statement) => this.#engine.execute(statement, signal)))
    } catch (error) {
      if (!isCausedBy(error, ReadInterrupted)) throw error
      const seconds = this.#maxReadMs / SECOND
      throw cutOff.signal.aborted
        ? new ReadRefused(`This took longer than ${seconds} seconds. Search for less at a time.`, SECOND)
        : new ReadRefused(refusals.time, SECOND)
    } finally {
      clearTimeout(timer)
    }
  }
}

export interface HeavyReadOptions {
  maxReadMs?: number
  limits?: Partial<TurnLimits>
}

function createReader(run: (statement: BoundStatement) => Promise<ResultSet>): StoreReader {
  const execute = (statement: InStatement) => run(toBoundStatement(statement))
  return {
    // The part of a client that drizzle needs for single statements.
    db: drizzle({ execute } as unknown as Client),
    read: async (query, values) => query.readRows(await execute(query.bind(values))),
    rows: async (sql, ...args) => nameColumns(await execute({ sql, args })),
  }
}

const toBoundStatement = (statement: InStatement): BoundStatement =>
  typeof statement === 'string'
    ? { sql: statement, args: [] }
    : { sql: statement.sql, args: statement.args as InValue[] }

/** drizzle wraps the errors of a statement. */
const isCausedBy = (error: unknown, kind: typeof ReadInterrupted): boolean =>
  error instanceof kind || (error instanceof Error && isCausedBy(error.cause, kind))

/** Connections to the host's own file, opened when they are first needed. */
export class FileReads implements ReadEngine {
  readonly #path: string
  readonly #guard: Guard
  readonly #all: ReadConnection[] = []
  readonly #free: ReadConnection[] = []

  constructor(path: string, guard: Guard) {
    this.#path = path
    this.#guard = guard
  }

  execute(statement: BoundStatement, signal: AbortSignal): Promise<ResultSet> {
    return this.#guard.runRead(() => this.#executeOnFree(statement, signal))
  }

  close(): void {
    for (const connection of this.#all) connection.close()
  }

  /** A connection is free when its statement has ended, also one that the guard no longer waits for. */
  async #executeOnFree(statement: BoundStatement, signal: AbortSignal): Promise<ResultSet> {
    const connection = this.#free.pop() ?? this.#addConnection()
    try {
      return await connection.execute(statement, signal)
    } finally {
      this.#free.push(connection)
    }
  }

  #addConnection(): ReadConnection {
    const connection = new ReadConnection(this.#path)
    this.#all.push(connection)
    return connection
  }
}
