// What the edge has from whoever supervises it on this machine: the minute's tick, and what its runtime does not tell of itself.

import { MINUTE, SECOND } from '../../shared/clock.ts'

/** As a cron trigger is where the edge is deployed. */
const TICK_MS = MINUTE
const PROBE_MS = 5 * SECOND

export interface EdgeClock {
  stop(): void
}

/** `resident`: bytes that its process holds, as far as that is known. Milliseconds, for tests, between ticks and between probes. */
export function startClock(
  metricsPort: number,
  resident: () => number | undefined,
  { tickMs = TICK_MS, probeMs = PROBE_MS } = {},
): EdgeClock {
  const url = `http://127.0.0.1:${metricsPort}`
  /** Milliseconds that the slowest empty answer took since the last tick. */
  let slowest: number | undefined
  let probing = false

  async function tick(): Promise<void> {
    const bytes = resident()
    const headers = {
      ...(bytes !== undefined && { 'x-resident-bytes': String(bytes) }),
      ...(slowest !== undefined && { 'x-slowest-probe-ms': slowest.toFixed(1) }),
    }
    slowest = undefined
    await fetch(`${url}/tick`, { method: 'POST', headers })
  }

  /** The edge runs on one event loop: what keeps that busy keeps an empty answer waiting. */
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

  // An edge that is being started again misses one; the next one does its work.
  const later = (work: () => Promise<void>) => void work().catch(() => undefined)
  // At once too: what fell due while nothing ran must not wait for the first minute to end.
  later(tick)
  const timers = [setInterval(later, tickMs, tick), setInterval(later, probeMs, probe)]
  for (const timer of timers) timer.unref()
  return {
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
