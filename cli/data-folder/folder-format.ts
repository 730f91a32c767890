// The file in a data folder with the number of its format.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formats } from '@msgnet/shared/data-formats.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'

const toFormatFile = (dataDir: string) => join(dataDir, 'format')

/** 0 for a folder that no gateway has started on. */
function readFormat(dataDir: string): number {
  const file = toFormatFile(dataDir)
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}

/** Throws an OperatorError if a newer version has changed the folder so that this one cannot use it. */
export function refuseNewerFormat(dataDir: string): void {
  if (readFormat(dataDir) > formats.folder)
    throw new OperatorError(
      `A newer version has changed ${dataDir}: start that version again, or restore a backup from before.`,
    )
}

/** Once the folder has this version's format. */
export function recordFormat(dataDir: string): void {
  if (readFormat(dataDir) === formats.folder) return
  writeFileSync(toFormatFile(dataDir), `${formats.folder}\n`, { mode: 0o600 })
}
