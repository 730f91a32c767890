// Undecryptable messages, postponed for as long as the sender may repair them, across restarts, and then reported.

import { SECOND } from '../../shared/clock.ts'
import type { NetworkMessage } from '../driver/driver.ts'
import type { Store } from '../store/store.ts'
import {
  dropUndecryptable,
  dueUndecryptable,
  keepUndecryptable,
  nextUndecryptable,
} from '../store/undecryptable.ts'
import type { Batch } from './batch.ts'
import { besideName, originOf } from './naming.ts'
import { event } from './reporting.ts'

const REPAIR_MS = 5 * SECOND
/** Reported in one batch. */
const AT_ONCE = 200

export interface Undecryptable {
  /** Stored by chat and sender too, because only its sender can repair it. */
  postpone(batch: Batch, message: NetworkMessage): void
  /** The sender has sent it again. */
  repaired(batch: Batch, message: NetworkMessage): void
  /** Reports all that are postponed: this host no longer receives the repairs. */
  reportPostponed(batch: Batch): Promise<void>
  /** Finds those that an earlier process or an earlier lease postponed. */
  start(): void
  stop(): void
}

/** `enqueue` runs its work in turn with the other news of the session, in a batch that is then committed. */
export function makeUndecryptable(
  store: Store,
  instance: string,
  enqueue: (work: (batch: Batch) => Promise<void>) => void,
): Undecryptable {
  let timer: NodeJS.Timeout | undefined
  let stopped = true
  /** While none is postponed, no message has to be looked up. */
  let waiting = true

  async function reportDue(batch: Batch, now = Date.now(), most = AT_ONCE): Promise<void> {
    const due = await dueUndecryptable(store, instance, now, most)
    for (const { payload } of due) batch.report(event('undecryptable', payload))
    for (let from = 0; from < due.length; from += AT_ONCE) {
      const ids = due.slice(from, from + AT_ONCE).map(({ messageid }) => messageid)
      batch.run(dropUndecryptable(store, instance, ids))
    }
    const next = await nextUndecryptable(store, instance)
    waiting = next !== undefined
    if (next !== undefined) wakeIn(Math.max(next - Date.now(), SECOND / 10))
  }

  function wakeIn(ms: number): void {
    if (stopped || timer) return
    timer = setTimeout(() => {
      timer = undefined
      enqueue((batch) =>
        reportDue(batch).catch((thrown) => {
          wakeIn(REPAIR_MS)
          throw thrown
        }),
      )
    }, ms)
    timer.unref()
  }

  return {
    postpone(batch, message) {
      const { messageid, chat, sender, text, at } = message
      const payload = {
        event: { messageid, chatid: chat.id, sender: sender.id, reason: text, timestamp: at },
      }
      const name = besideName(messageid, originOf(message))
      batch.run(
        keepUndecryptable(store, { instance, messageid: name, dueAt: Date.now() + REPAIR_MS, payload }),
      )
      waiting = true
      wakeIn(REPAIR_MS)
    },
    repaired(batch, message) {
      if (waiting)
        batch.run(dropUndecryptable(store, instance, [besideName(message.messageid, originOf(message))]))
    },
    reportPostponed: (batch) => reportDue(batch, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
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
