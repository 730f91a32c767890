// The metrics of kept media: files by outcome, those that wait, and the space that they take.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { Counter, type Registry } from 'prom-client'
import { addReadingGauge } from '../metrics/reading-gauge.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { readMediaTotals } from '../store/media-rows.ts'

/** `failed`: one attempt, after which another one follows. `shared`: the instance had the file already. */
const outcomes = ['stored', 'shared', 'failed', 'too_large', 'lost', 'unknown_sender'] as const

export class MediaMetrics {
  readonly #files: Counter<'outcome'>

  constructor(registry: Registry, store: FencedStore) {
    this.#files = new Counter({
      name: 'host_media_files_total',
      help: 'Files of received messages, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    })
    for (const outcome of outcomes) this.#files.inc({ outcome }, 0)
    const readings: Record<string, [help: string, read: (totals: MediaTotals) => number]> = {
      host_media_stored_bytes: ['Size of the stored files.', ({ bytes }) => bytes],
      host_media_waiting: ['Files that are not stored yet.', ({ waiting }) => waiting],
      host_media_waiting_age_seconds: [
        'Time since the arrival of the message that waits longest for its file; 0 if none waits.',
        ({ oldest }) => (oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest) / SECOND)),
      ],
    }
    for (const [name, [help, read]] of Object.entries(readings))
      addReadingGauge(registry, name, help, async (gauge) => gauge.set(read(await readMediaTotals(store))))
  }

  countFile(outcome: (typeof outcomes)[number]): void {
    this.#files.inc({ outcome })
  }
}

type MediaTotals = Awaited<ReturnType<typeof readMediaTotals>>
