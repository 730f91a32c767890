// Measures a data folder for the edge's metrics: the space on its disk, and the age of its last backup.

import { statfsSync } from 'node:fs'
import type { FolderFigures } from '../parts/edge-clock.ts'
import { readLastBackup } from './last-backup.ts'

export function measureFolder(dataDir: string): FolderFigures {
  const { bavail, blocks, bsize } = statfsSync(dataDir)
  // What is reserved for root is not ours to use.
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize, lastBackupMs: readLastBackup(dataDir) }
}
