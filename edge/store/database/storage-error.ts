// The database's failures, whichever layer speaks of them.

import { DrizzleQueryError } from 'drizzle-orm/errors'

/** The database did not answer, or not in time. */
export class StorageError extends Error {}

/** The database answered with a no: nothing of what was asked in that transaction is there. */
export class DatabaseRefusal extends Error {
  /** SQLite's own, as `SQLITE_CONSTRAINT`. */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

export function isStorageError(error: unknown): boolean {
  const known = [StorageError, DatabaseRefusal, DrizzleQueryError].some((kind) => error instanceof kind)
  return known || (error instanceof Error && error.cause !== undefined && isStorageError(error.cause))
}

/** A row was to belong to an instance that is not there: it was deleted after the caller had been authenticated. */
export const isOrphaned = (error: unknown): boolean =>
  error instanceof Error && (/FOREIGN KEY constraint failed/i.test(error.message) || isOrphaned(error.cause))

/** An Idempotency-Key was to be taken that another request has. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error && (/UNIQUE constraint failed: replays/i.test(error.message) || isTaken(error.cause))

/** The database refused a statement: nothing is wrong with the database. */
const REFUSALS = /^(ARGS_INVALID|SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE|ERROR|UNKNOWN))/

export const isRefusal = (error: unknown): boolean => hasCode(error, REFUSALS)

/** The rows that were asked for are more than one answer of the database carries. */
export const isTooLarge = (error: unknown): boolean => hasCode(error, /^RESPONSE_TOO_LARGE/)

const hasCode = (error: unknown, code: RegExp): boolean =>
  error instanceof Error &&
  ((error instanceof DatabaseRefusal && code.test(error.code)) || hasCode(error.cause, code))
