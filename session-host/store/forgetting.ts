// When and where old messages are forgotten: in a host's own file by a thread of its own, on a server by its own statements.

import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { HOUR, MINUTE } from '../../shared/clock.ts'
import { type Log, reason } from '../log.ts'
import { forgetOldMessages } from './retention.ts'
import type { Store } from './store.ts'

/** `first`: after the start. `next`: after it was done. In milliseconds. */
const PRESET = { first: MINUTE, next: HOUR }

/** Until it is stopped, which it should be before the store is closed. */
export function keepForgetting(store: Store, days: number, log: Log, due = PRESET): { stop(): void } {
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
  goOn().catch((thrown) => {
    if (!signal.aborted) throw thrown
  })
  return { stop: () => ending.abort() }
}

/** What `forgetting-worker.ts` is given. */
export interface Forgetting {
  file: string
  days: number
}

/**
 * What is old has long left the memory, so that the disk is waited for: by a thread of its own, with a connection of its own. A
 * commit that meets one of its parts is made some milliseconds later.
 */
async function forgetInThread(workerData: Forgetting, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL('./forgetting-worker.ts', import.meta.url), { workerData })
  worker.unref()
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    // Rejected with what the thread fails of.
    await once(worker, 'exit')
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
