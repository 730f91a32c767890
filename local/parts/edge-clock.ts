// Calls the edge's tick once a minute on this machine, with measurements that its runtime does not have.

import { MINUTE, SECOND } from '../../shared/clock.ts'

/** The interval of the cron trigger on Cloudflare. */
const TICK_MS = MINUTE
const PROBE_MS = 5 * SECOND

export interface EdgeClock {
  stop(): void
}

/** What its supervisor knows of the edge's DATA_DIR. */
export interface FolderFigures {
  freeBytes: number
  sizeBytes: number
  /** 0 if there was no backup. */
  lastBackupMs: number
}

/** `resident`: the process's memory in bytes, if known. The times between ticks and between probes, in milliseconds, are for tests. */
export function startClock(
  metricsPort: number,
  resident: () => number | undefined,
  {
    tickMs = TICK_MS,
    probeMs = PROBE_MS,
    folder,
  }: { tickMs?: number; probeMs?: number; folder?: () => FolderFigures } = {},
): EdgeClock {
  const url = `http://127.0.0.1:${metricsPort}`
  /** Milliseconds of the slowest probe since the last tick. */
  let slowest: number | undefined
  let probing = false

  async function tick(): Promise<void> {
    const bytes = resident()
    const figures = folder?.()
    const headers = {
      ...(bytes !== undefined && { 'x-resident-bytes': String(bytes) }),
      ...(slowest !== undefined && { 'x-slowest-probe-ms': slowest.toFixed(1) }),
      ...(figures && {
        'x-disk-free-bytes': String(figures.freeBytes),
        'x-disk-size-bytes': String(figures.sizeBytes),
        'x-last-backup-ms': String(figures.lastBackupMs),
      }),
    }
    slowest = undefined
    await fetch(`${url}/tick`, { method: 'POST', headers })
  }

  /** The edge runs on one event loop, so a busy loop delays an empty answer. */
  async function probe(): Promise<void> {
    if (probing) return
    probing = true
    const asked = performance.now()
    try {
      await fetch(`${url}/probe`)
      slowest = Math.max(slowest ?? 0, performance.now() - asked)
    } finally {
      probing = false
    }
  }

  // An edge that is restarting misses a tick; the next one does the same work.
  const later = (work: () => Promise<void>) => void work().catch(() => undefined)
  // Also at once, so that deliveries that fell due while nothing ran do not wait a minute.
  later(tick)
  const timers = [setInterval(later, tickMs, tick), setInterval(later, probeMs, probe)]
  for (const timer of timers) timer.unref()
  return {
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
