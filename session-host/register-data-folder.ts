// Tells the metrics of the host's DATA_DIR: the space on its disk, and when the last backup of it was complete.

import { Gauge, type Registry } from 'prom-client'
import { measureDiskSpace, readLastBackup } from '../shared/node/data-folder-metrics.ts'

/** `ownStore`: the sessions are in this folder. A shared store is backed up on its server. */
export function registerDataFolderMetrics(
  registry: Registry,
  dataDir: string,
  { ownStore }: { ownStore: boolean },
): void {
  const addGauge = (name: string, help: string, measure: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await measure())
      },
    })
  addGauge('host_disk_free_bytes', "Space that its DATA_DIR's disk has for it.", async () => {
    const { freeBytes } = await measureDiskSpace(dataDir)
    return freeBytes
  })
  addGauge('host_disk_size_bytes', "Size of its DATA_DIR's disk.", async () => {
    const { sizeBytes } = await measureDiskSpace(dataDir)
    return sizeBytes
  })
  if (ownStore)
    addGauge(
      'host_last_backup_timestamp_seconds',
      'When the last backup was complete; 0 if there was none.',
      () => readLastBackup(dataDir),
    )
}
