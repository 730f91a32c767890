// Gauges of this process and of its data folder, measured at each scrape of the metrics.

import { readdir, readFile } from 'node:fs/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { measureDiskSpace, readLastBackup } from '@msgnet/shared/node/data-folder-metrics.ts'
import { type GaugeName, setGauge } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import type { EventLoopMonitor } from './event-loop-monitor.ts'

const MICROSECOND = SECOND / 1e6

type Gauges = Partial<Record<GaugeName, number>>

/** `dataDir`: undefined where this process has none. Does not throw: a value that cannot be read is logged, and its last one stays. */
export async function measureProcess(
  env: Parameters<typeof log>[0],
  eventLoop: EventLoopMonitor,
  dataDir: string | undefined,
): Promise<void> {
  const { user, system } = process.cpuUsage()
  const parts = [
    {
      edge_resident_memory_bytes: process.memoryUsage.rss(),
      edge_cpu_seconds_total: ((user + system) * MICROSECOND) / SECOND,
      edge_slowest_probe_seconds: eventLoop.readLongestDelay() / SECOND,
    },
    ...(process.platform === 'linux' ? [measureDescriptors()] : []),
    ...(dataDir ? [measureFolder(dataDir)] : []),
  ]
  for (const part of await Promise.allSettled(parts)) {
    if (part.status === 'rejected') log(env, 'warn', 'failed to measure process', { error: part.reason })
    else for (const [name, value] of Object.entries(part.value)) setGauge(name as GaugeName, value)
  }
}

async function measureDescriptors(): Promise<Gauges> {
  const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')])
  const [, limit] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return { edge_open_descriptors: open.length, edge_descriptors_limit: Number(limit) }
}

async function measureFolder(dataDir: string): Promise<Gauges> {
  const { freeBytes, sizeBytes } = await measureDiskSpace(dataDir)
  return {
    edge_disk_free_bytes: freeBytes,
    edge_disk_size_bytes: sizeBytes,
    edge_last_backup_timestamp_seconds: await readLastBackup(dataDir),
  }
}
