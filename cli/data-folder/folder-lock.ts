// Locks a data folder for one gateway, or a file for one run. The operating system releases the lock when its process ends, for any reason.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { isLockedElsewhere } from '@msgnet/shared/node/sqlite-errors.ts'

export type Lock = ReturnType<typeof lockDataDir>

export class FolderInUse extends OperatorError {}

/** Throws an OperatorError when another gateway runs on this folder. */
export function lockDataDir(dataDir: string) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return lockFile(
    join(dataDir, 'lock'),
    `Another gateway is running on ${dataDir}: stop it, or set DATA_DIR to another folder.`,
    'Give the folder to this user, or set DATA_DIR to another one.',
  )
}

/** `heldBy`: what is said when another process has the lock. */
export function lockFile(path: string, heldBy: string, remedy: string) {
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path)
    file.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    file?.close()
    throw isLockedElsewhere(error)
      ? new FolderInUse(heldBy)
      : new OperatorError(
          `This user cannot write ${path} (${(error as Error).message}): it may belong to another user, as after a start with sudo. ${remedy}`,
        )
  }
  const opened = file
  return { release: () => opened.close() }
}
