// Messages that did not decrypt: held back for as long as the sender may repair them, across restarts, then told.

import { SECOND } from '../../shared/clock.ts'
import type { NetworkMessage } from '../driver/driver.ts'
import type { Store } from '../store/store.ts'
import { dueUndecryptable, holdBack, letGo, nextUndecryptable } from '../store/undecryptable.ts'
import type { Batch } from './batch.ts'
import { besideName, originOf } from './naming.ts'
import { event } from './reporting.ts'

const HELD_MS = 5 * SECOND

export interface Undecryptable {
  /** By its chat and sender too: nobody else repairs it. */
  hold(batch: Batch, message: NetworkMessage): void
  /** The sender has sent it again. */
  repaired(batch: Batch, message: NetworkMessage): void
  /** Finds those of an earlier process, or of an earlier lease. */
  start(): void
  stop(): void
}

/** `tell` runs its work among the other news of the session, in a batch that is then committed. */
export function makeUndecryptable(
  store: Store,
  instance: string,
  tell: (work: (batch: Batch) => Promise<void>) => void,
): Undecryptable {
  let timer: NodeJS.Timeout | undefined
  let stopped = true
  /** While none is held, no message has to be looked up. */
  let held = true

  async function tellDue(batch: Batch): Promise<void> {
    const due = await dueUndecryptable(store, instance, Date.now())
    for (const { payload } of due) batch.tell(event('undecryptable', payload))
    if (due.length > 0) {
      const ids = due.map(({ messageid }) => messageid)
      batch.run(letGo(store, instance, ids))
    }
    const next = await nextUndecryptable(store, instance)
    held = next !== undefined
    if (next !== undefined) wakeIn(Math.max(next - Date.now(), SECOND / 10))
  }

  function wakeIn(ms: number): void {
    if (stopped || timer) return
    timer = setTimeout(() => {
      timer = undefined
      tell((batch) =>
        tellDue(batch).catch((thrown) => {
          wakeIn(HELD_MS)
          throw thrown
        }),
      )
    }, ms)
    timer.unref()
  }

  return {
    hold(batch, message) {
      const { messageid, chat, sender, text, at } = message
      const payload = {
        event: { messageid, chatid: chat.id, sender: sender.id, reason: text, timestamp: at },
      }
      const name = besideName(messageid, originOf(message))
      batch.run(holdBack(store, { instance, messageid: name, dueAt: Date.now() + HELD_MS, payload }))
      held = true
      wakeIn(HELD_MS)
    },
    repaired(batch, message) {
      if (held) batch.run(letGo(store, instance, [besideName(message.messageid, originOf(message))]))
    },
    start() {
      stopped = false
      wakeIn(0)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      timer = undefined
    },
  }
}
