// Evicts durable objects from memory, as Cloudflare does with idle objects, while their sockets stay open.

import { setTimeout as wait } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'

const CLASSES = ['HostLink', 'Courier']
/** Cloudflare waits at least ten seconds. */
const EVERY_MS = 100

/** Repeats from now on. A busy object keeps its memory until it is idle, as on Cloudflare. */
export function startEviction(worker: Miniflare, script: string): { stop(): Promise<void> } {
  let stopped = false

  async function evictObject(className: string, id: string): Promise<void> {
    try {
      await worker.unsafeEvictDurableObject(script, className, { id, webSockets: 'hibernate' })
    } catch (error) {
      if (!String(error).includes('not currently running')) console.error(`not evicted: ${error}`)
    }
  }

  async function evictUntilStopped(): Promise<void> {
    while (!stopped) {
      await wait(EVERY_MS)
      for (const className of CLASSES)
        for (const id of await worker.listDurableObjectIds(className, script))
          await evictObject(className, id)
    }
  }

  const running = evictUntilStopped()
  return {
    stop() {
      stopped = true
      return running
    },
  }
}
