// Reads `last-backup.json` of a data folder: when its last backup was complete, for the metrics. A host reads the same file.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Milliseconds since the epoch; 0 if there was no backup, or if the file cannot be read. */
export function readLastBackup(dataDir: string): number {
  try {
    const { at } = JSON.parse(readFileSync(join(dataDir, 'last-backup.json'), 'utf8')) as { at?: string }
    return Date.parse(at ?? '') || 0
  } catch {
    return 0
  }
}
