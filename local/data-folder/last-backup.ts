// `last-backup.json` of a data folder: when its last backup was complete, for the metrics. A host reads the same file.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Side } from '../../shared/seal-keys.ts'
import { giveToOwner } from './owner.ts'

const fileIn = (dataDir: string) => join(dataDir, 'last-backup.json')

/** `covers` names the sides in it. Written as a whole, because the metrics are read at any time. */
export function recordBackup(dataDir: string, at: Date, covers: readonly Side[]): void {
  const draft = `${fileIn(dataDir)}.draft`
  writeFileSync(draft, `${JSON.stringify({ at: at.toISOString(), covers })}\n`, { mode: 0o600 })
  giveToOwner(draft, dataDir)
  renameSync(draft, fileIn(dataDir))
}

/** Milliseconds since the epoch; 0 if there was no backup, or if the file cannot be read. */
export function readLastBackup(dataDir: string): number {
  try {
    const { at } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as { at?: string }
    return Date.parse(at ?? '') || 0
  } catch {
    return 0
  }
}
