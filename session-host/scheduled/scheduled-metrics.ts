// The metrics of messages that are sent at a time: by outcome, how late they were, and those that wait.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { Counter, Histogram, type Registry } from 'prom-client'
import { addReadingGauge } from '../metrics/reading-gauge.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { readScheduledTotals } from '../store/scheduled-store.ts'

/** `missed`: a day late. `retried`: one attempt, after which another one follows. */
const outcomes = ['sent', 'refused', 'unknown', 'missed', 'retried'] as const

export class ScheduledMetrics {
  readonly #sends: Counter<'outcome'>
  readonly #lateness: Histogram

  constructor(registry: Registry, store: FencedStore) {
    const registers = [registry]
    this.#sends = new Counter({
      name: 'host_scheduled_sends_total',
      help: 'Messages that were due, by outcome.',
      labelNames: ['outcome'],
      registers,
    })
    for (const outcome of outcomes) this.#sends.inc({ outcome }, 0)
    this.#lateness = new Histogram({
      name: 'host_scheduled_late_seconds',
      help: 'Time from when a message was due until it was sent.',
      buckets: [1, 5, 30, 60, 300, 1800, 3600, 21_600, 86_400],
      registers,
    })
    addReadingGauge(registry, 'host_scheduled_waiting', 'Messages that wait for their time.', async (gauge) =>
      gauge.set((await readScheduledTotals(store, store.holder)).waiting),
    )
    addReadingGauge(
      registry,
      'host_scheduled_overdue_seconds',
      'How long the first message that waits has been due; 0 if none is due.',
      async (gauge) => {
        const { soonest } = await readScheduledTotals(store, store.holder)
        gauge.set(soonest === undefined ? 0 : Math.max(0, (Date.now() - soonest) / SECOND))
      },
    )
  }

  countSend(outcome: Exclude<(typeof outcomes)[number], 'retried'>, lateMs: number): void {
    this.#sends.inc({ outcome })
    if (outcome === 'sent') this.#lateness.observe(Math.max(0, lateMs) / SECOND)
  }

  countRetry(): void {
    this.#sends.inc({ outcome: 'retried' })
  }
}
