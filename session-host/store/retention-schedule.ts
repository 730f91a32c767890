// Starts the deletion of old messages every hour: on a host's own file in a worker thread, on a server from this thread.

import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import type { Log } from '../process/host-log.ts'
import type { Store } from './host-store.ts'
import { deleteOldMessages } from './retention.ts'

/** Milliseconds. `first`: from the start. `next`: from the end of the last run. */
const DEFAULT_INTERVALS = { first: MINUTE, next: HOUR }

/** Runs until it is stopped, which waits for a statement that runs. Stop it before the store is closed. */
export function startRetention(
  store: Store,
  { days, mediaDays = days }: { days: number; mediaDays?: number },
  log: Log,
  intervals = DEFAULT_INTERVALS,
): { stop(): Promise<void> } {
  const ending = new AbortController()
  const { signal } = ending
  const deleteOld = ({ file }: Store): Promise<void> =>
    file === undefined
      ? deleteOldMessages(store, Date.now(), { days, mediaDays, signal })
      : deleteInThread({ file, days, mediaDays }, signal)
  async function runRepeatedly(): Promise<void> {
    for (let ms = intervals.first; ; ms = intervals.next) {
      await wait(ms, undefined, { signal })
      await deleteOld(store).catch((error) => {
        if (!signal.aborted) log.error({ error }, 'failed to delete old messages')
      })
    }
  }
  const ended = runRepeatedly().catch((error) => {
    if (!signal.aborted) throw error
  })
  return {
    stop() {
      ending.abort()
      return ended
    },
  }
}

/** The data of `retention-worker.ts`. */
export interface RetentionJob {
  file: string
  days: number
  mediaDays: number
}

/**
 * A thread that is terminated inside a call of the database ends the whole process, so it is asked to stop.
 *
 * Old rows are no longer in memory, so this waits for the disk: in a separate thread, with a separate connection. A
 * commit that finds the file locked by it is retried after a few milliseconds.
 */
async function deleteInThread(workerData: RetentionJob, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL('./retention-worker.ts', import.meta.url), { workerData })
  worker.unref()
  const stop = () => worker.postMessage('stop')
  signal.addEventListener('abort', stop)
  try {
    // Rejects with the error of the thread.
    await once(worker, 'exit')
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
