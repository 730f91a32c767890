// The errors of the database, from every layer.

import { DrizzleQueryError } from 'drizzle-orm/errors'
import type { FailureKind } from '../../observability/database-health.ts'

/** The database did not respond, or not in time. */
export class StorageError extends Error {}

/** The database refused: nothing of that transaction was written. */
export class DatabaseRefusal extends Error {
  /** SQLite's code, as `SQLITE_CONSTRAINT`. */
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

// The second is of a new webhook, which begins behind the newest event of its instance.
const ORPHANED = /FOREIGN KEY constraint failed|NOT NULL constraint failed: webhooks\.cursor/i

/** The instance of a new row does not exist: it was deleted after the caller was authenticated. */
export const isOrphaned = (error: unknown): boolean =>
  error instanceof Error && (ORPHANED.test(error.message) || isOrphaned(error.cause))

/** Codes of a refused statement; the database itself works. */
const REFUSALS = /^(ARGS_INVALID|SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE|ERROR|UNKNOWN))/

export const isRefusal = (error: unknown): boolean => hasCode(error, REFUSALS)

/** The rows do not fit into one response of the database. */
export const isTooLarge = (error: unknown): boolean => hasCode(error, /^RESPONSE_TOO_LARGE/)

const hasCode = (error: unknown, code: RegExp): boolean =>
  error instanceof Error &&
  ((error instanceof DatabaseRefusal && code.test(error.code)) || hasCode(error.cause, code))

const kindsByCode: [RegExp, FailureKind][] = [
  [/^SQLITE_FULL/, 'full'],
  [/^SQLITE_READONLY/, 'readonly'],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN)/, 'disk_error'],
]

/** The server could not read the statement. */
const UNREADABLE = /^SQL_/

/** Servers that give no code, or a general one, name a full disk in words. */
const FULL = /database or disk is full|No space left on device|ENOSPC/i

/** Undefined if the database works: it responded, and refused the statement or the size of its response. */
export function findFailureKind(error: unknown): FailureKind | undefined {
  if (!(error instanceof Error)) return undefined
  if (hasWords(error, FULL)) return 'full'
  if (isRefusal(error) || hasCode(error, UNREADABLE) || isTooLarge(error)) return undefined
  const [, kind] = kindsByCode.find(([code]) => hasCode(error, code)) ?? []
  if (kind) return kind
  return error instanceof StorageError ? 'unanswered' : 'other'
}

const hasWords = (error: unknown, words: RegExp): boolean =>
  error instanceof Error && (words.test(error.message) || hasWords(error.cause, words))
