// Tells the metrics of the host's DATA_DIR: the space on its disk, and when the last backup of it was complete.

import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Gauge, type Registry } from 'prom-client'

/** `ownStore`: the sessions are in this folder. A shared store is backed up on its server. */
export function watchDataFolder(
  registry: Registry,
  dataDir: string,
  { ownStore }: { ownStore: boolean },
): void {
  const gauge = (name: string, help: string, measure: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await measure())
      },
    })
  gauge('host_disk_free_bytes', "Space that its DATA_DIR's disk has for it.", async () => {
    const { bavail, bsize } = await statfs(dataDir)
    // What is reserved for root is not ours to use.
    return bavail * bsize
  })
  gauge('host_disk_size_bytes', "Size of its DATA_DIR's disk.", async () => {
    const { blocks, bsize } = await statfs(dataDir)
    return blocks * bsize
  })
  if (ownStore)
    gauge(
      'host_last_backup_timestamp_seconds',
      'When the last backup was complete; 0 if there was none.',
      () => readLastBackup(dataDir),
    )
}

/** In seconds since the epoch, as `npm run backup` wrote it. */
async function readLastBackup(dataDir: string): Promise<number> {
  try {
    const { at } = JSON.parse(await readFile(join(dataDir, 'last-backup.json'), 'utf8')) as { at?: string }
    return (Date.parse(at ?? '') || 0) / 1000
  } catch {
    return 0
  }
}
