// Eviction of durable objects while they serve: Cloudflare forgets an idle object's memory and keeps its sockets.

import { setTimeout as wait } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'

const CLASSES = ['HostLink', 'Courier']
/** Cloudflare waits ten seconds at least. */
const EVERY_MS = 100

/** Begins at once, over and over. An object that is busy keeps its memory until it is idle, as on Cloudflare. */
export function evictObjects(worker: Miniflare, script: string): { stop(): Promise<void> } {
  let stopped = false

  async function evict(className: string, id: string): Promise<void> {
    try {
      await worker.unsafeEvictDurableObject(script, className, { id, webSockets: 'hibernate' })
    } catch (error) {
      if (!String(error).includes('not currently running')) console.error(`not evicted: ${error}`)
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      await wait(EVERY_MS)
      for (const className of CLASSES)
        for (const id of await worker.listDurableObjectIds(className, script)) await evict(className, id)
    }
  }

  const running = run()
  return {
    stop() {
      stopped = true
      return running
    },
  }
}
