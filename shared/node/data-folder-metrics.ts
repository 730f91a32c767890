// What metrics show of a data folder: the space on its disk, and when its last backup was complete.

import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'

export async function measureDiskSpace(dataDir: string) {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  // What is reserved for root is not ours to use.
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** In seconds since the epoch, as `npm run backup` wrote it; 0 if there was none, or if its file cannot be read. */
export async function readLastBackup(dataDir: string): Promise<number> {
  try {
    const { at } = JSON.parse(await readFile(join(dataDir, 'last-backup.json'), 'utf8')) as { at?: string }
    return (Date.parse(at ?? '') || 0) / 1000
  } catch {
    return 0
  }
}
