// Runs one statement on a file of SQLite, for the thread that serves requests and for the one of large reads.

import type { LocalFile } from '@msgnet/shared/node/local-file.ts'
import type { Query, Result } from '../runtime/query-types.ts'
import { DatabaseRefusal } from '../store/database/storage-error.ts'

/** Characters of a text. A server has such a limit too; without one, a single report could block the event loop for long. */
const MAX_TEXT_LENGTH = 5_000_000

export function executeQuery(file: LocalFile, { sql, args }: Query): Result {
  if (args.some((value) => typeof value === 'string' && value.length > MAX_TEXT_LENGTH))
    throw new DatabaseRefusal('a text is too large', 'SQLITE_TOOBIG')
  return wrapRefusal(() => {
    const { columns, rows, rowsAffected } = file.execute({ sql, args: args as never })
    for (const row of rows as unknown as unknown[][]) convertBlobs(row)
    return { columns, rows: rows as unknown as unknown[][], rowsAffected }
  })
}

/** Makes blobs ArrayBuffers, as those of a server are. */
export function convertBlobs(row: unknown[]): void {
  for (let at = 0; at < row.length; at++) {
    const value = row[at]
    if (value instanceof Uint8Array)
      row[at] = value.buffer.slice(value.byteOffset, value.byteOffset + value.length)
  }
}

/** An error of SQLite becomes a refusal: nothing of the statement, or of its transaction, was written. */
export function wrapRefusal<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof DatabaseRefusal || !('code' in error)) throw error
    throw new DatabaseRefusal(error.message, String(error.code))
  }
}
