// `last-backup.json` of a data folder: when its last backup was complete, for the metrics of the edge and of the host.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Side } from '@msgnet/shared/seal-keys.ts'
import { assignOwner } from './assign-owner.ts'

const toFilePath = (dataDir: string) => join(dataDir, 'last-backup.json')

/** `covers` names the sides in it. Written as a whole, because the metrics are read at any time. */
export function recordBackup(dataDir: string, at: Date, covers: readonly Side[]): void {
  const draft = `${toFilePath(dataDir)}.draft`
  writeFileSync(draft, `${JSON.stringify({ at: at.toISOString(), covers })}\n`, { mode: 0o600 })
  assignOwner(draft, dataDir)
  renameSync(draft, toFilePath(dataDir))
}
