// Locks a data folder for one gateway. The operating system releases the lock when its process ends, for any reason.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../settings/gateway-settings.ts'

export type Lock = ReturnType<typeof lockDataDir>

export class FolderInUse extends OperatorError {}

/** Throws an OperatorError when another gateway runs on this folder. */
export function lockDataDir(dataDir: string) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(join(dataDir, 'lock'))
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch {
    file.close()
    throw new FolderInUse(
      `Another gateway is running on ${dataDir}: stop it, or set DATA_DIR to another folder.`,
    )
  }
  return { release: () => file.close() }
}
