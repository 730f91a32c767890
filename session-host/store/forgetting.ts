// Starts the deletion of old messages every hour: on a host's own file in a worker thread, on a server from this thread.

import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { HOUR, MINUTE } from '../../shared/clock.ts'
import { type Log, reason } from '../log.ts'
import { forgetOldMessages } from './retention.ts'
import type { Store } from './store.ts'

/** Milliseconds. `first`: from the start. `next`: from the end of the last run. */
const PRESET = { first: MINUTE, next: HOUR }

/** Runs until it is stopped, which waits for a statement that runs. Stop it before the store is closed. */
export function keepForgetting(
  store: Store,
  days: number,
  log: Log,
  due = PRESET,
): { stop(): Promise<void> } {
  const ending = new AbortController()
  const { signal } = ending
  const forget = ({ file }: Store): Promise<void> =>
    file === undefined
      ? forgetOldMessages(store, Date.now(), { days, signal })
      : forgetInThread({ file, days }, signal)
  async function goOn(): Promise<void> {
    for (let ms = due.first; ; ms = due.next) {
      await wait(ms, undefined, { signal })
      await forget(store).catch((thrown) => {
        if (!signal.aborted) log.error({ err: thrown }, `old messages are not forgotten: ${reason(thrown)}`)
      })
    }
  }
  const ended = goOn().catch((thrown) => {
    if (!signal.aborted) throw thrown
  })
  return {
    stop() {
      ending.abort()
      return ended
    },
  }
}

/** The data of `forgetting-worker.ts`. */
export interface Forgetting {
  file: string
  days: number
}

/**
 * A thread that is terminated inside a call of the database ends the whole process, so it is asked to stop.
 *
 * Old rows are no longer in memory, so this waits for the disk: in a separate thread, with a separate connection. A
 * commit that finds the file locked by it is retried after a few milliseconds.
 */
async function forgetInThread(workerData: Forgetting, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL('./forgetting-worker.ts', import.meta.url), { workerData })
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
