// Starts the deletion of old messages every hour, and of those that have disappeared every minute: on a host's own file in a worker thread, on a server from this thread.

import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import type { Log } from '../process/host-log.ts'
import type { Store } from './host-store.ts'
import { deleteExpired, deleteOldMessages, hasExpired } from './retention.ts'

/** Milliseconds. `first`: from the start. `next`: from the end of the last run. */
const DEFAULT_INTERVALS = { first: MINUTE, next: HOUR, expired: MINUTE }

/** Runs until it is stopped, which waits for a statement that runs. Stop it before the store is closed. */
export function startRetention(
  store: Store,
  {
    days,
    mediaDays = days,
    keepExpired = false,
  }: { days: number; mediaDays?: number; keepExpired?: boolean },
  log: Log,
  chosen: Partial<typeof DEFAULT_INTERVALS> = {},
): { stop(): Promise<void> } {
  const intervals = { ...DEFAULT_INTERVALS, ...chosen }
  const ending = new AbortController()
  const { signal } = ending
  const deleteOld = ({ file }: Store): Promise<void> =>
    file === undefined
      ? deleteOldMessages(store, Date.now(), { days, mediaDays, signal })
      : deleteInThread({ file, old: { days, mediaDays } }, signal)
  async function deleteGone({ file }: Store): Promise<void> {
    if (!(await hasExpired(store, Date.now()))) return
    await (file === undefined
      ? deleteExpired(store, Date.now(), { signal })
      : deleteInThread({ file, old: undefined }, signal))
  }
  async function runRepeatedly(run: () => Promise<void>, first: number, next: number): Promise<void> {
    for (let ms = first; ; ms = next) {
      await wait(ms, undefined, { signal })
      await run().catch((error) => {
        if (!signal.aborted) log.error({ error }, 'failed to delete old messages')
      })
    }
  }
  const runs = [runRepeatedly(() => deleteOld(store), intervals.first, intervals.next)]
  if (!keepExpired) runs.push(runRepeatedly(() => deleteGone(store), intervals.expired, intervals.expired))
  const ended = Promise.all(
    runs.map((run) =>
      run.catch((error) => {
        if (!signal.aborted) throw error
      }),
    ),
  )
  return {
    async stop() {
      ending.abort()
      await ended
    },
  }
}

/** The data of `retention-worker.ts`. */
export interface RetentionJob {
  file: string
  /** Undefined for those that have disappeared. */
  old: { days: number; mediaDays: number } | undefined
}

/**
 * A thread that is terminated inside a call of the database ends the whole process, so it is asked to stop.
 *
 * Old rows are no longer in memory, so this waits for the disk: in a separate thread, with a separate connection. A
 * commit that finds the file locked by it is retried after a few milliseconds.
 */
async function deleteInThread(workerData: RetentionJob, signal: AbortSignal): Promise<void> {
  const worker = new Worker(locateProgram('./retention-worker.ts', import.meta.url), { workerData })
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
