// Whether the database's file is still where it was opened.

import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { DatabaseRefusal, StorageError } from '../store/database/storage-error.ts'

/** A readiness probe ends after two seconds. */
const CHECK_TIMEOUT = 1.5 * SECOND
const CHECK_INTERVAL = SECOND

/**
 * A process that has a deleted or replaced file open can go on writing to it, and all of that is lost when the process ends.
 * SQLite itself does not notice that while it has a write-ahead log.
 */
export class FileIdentity {
  readonly #path: string
  readonly #inode: number
  #checkedAt = 0

  /** Throws if there is no file. */
  constructor(path: string) {
    this.#path = path
    this.#inode = statSync(path).ino
  }

  /** Rejects unless the file is there, or if the disk does not respond in time. */
  async checkNow(): Promise<void> {
    const rejectLate = () => {
      throw new StorageError('the disk did not respond')
    }
    const found = await withDeadline(stat(this.#path).catch(toMissing), CHECK_TIMEOUT, rejectLate)
    this.#compareInode(found)
  }

  /** Throws if it was not there within the last second. */
  checkIfDue(): void {
    const now = performance.now()
    if (now - this.#checkedAt < CHECK_INTERVAL) return
    this.#compareInode(this.#findNow())
    this.#checkedAt = now
  }

  #findNow(): { ino: number } | undefined {
    try {
      return statSync(this.#path)
    } catch (error) {
      return toMissing(error)
    }
  }

  #compareInode(found: { ino: number } | undefined): void {
    if (found?.ino !== this.#inode)
      throw new DatabaseRefusal('the file was moved or deleted', 'SQLITE_READONLY_DBMOVED')
  }
}

/** Undefined if there is no such file; an error of the disk or of its permissions does not tell. */
function toMissing(error: unknown): undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!['ENOENT', 'ENOTDIR'].includes(code))
    throw new DatabaseRefusal(`the file cannot be looked up (${code})`, 'SQLITE_CANTOPEN')
}
