// Undecryptable messages, postponed for as long as the sender may repair them, across restarts, and then reported.

import { SECOND } from '../../shared/date-time.ts'
import type { NetworkMessage } from '../driver/driver.ts'
import type { Store } from '../store/host-store.ts'
import {
  deleteUndecryptable,
  findNextDue,
  listDueUndecryptable,
  storeUndecryptable,
} from '../store/undecryptable-store.ts'
import type { Batch } from './intake-batch.ts'
import { qualifyNameByOrigin, toOrigin } from './message-lookup.ts'
import { createEvent } from './message-records.ts'

const MAX_REPAIR_MS = 5 * SECOND
/** Reported in one batch. */
const BATCH_SIZE = 200

export interface Undecryptable {
  /** Stored by chat and sender too, because only its sender can repair it. */
  postpone(batch: Batch, message: NetworkMessage): void
  /** The sender has sent it again. */
  handleRepair(batch: Batch, message: NetworkMessage): void
  /** Reports all that are postponed: this host no longer receives the repairs. */
  reportPostponed(batch: Batch): Promise<void>
  /** Finds those that an earlier process or an earlier lease postponed. */
  start(): void
  stop(): void
}

/** `enqueue` runs its work in turn with the other news of the session, in a batch that is then committed. */
export function createUndecryptable(
  store: Store,
  instance: string,
  enqueue: (work: (batch: Batch) => Promise<void>) => void,
): Undecryptable {
  let timer: NodeJS.Timeout | undefined
  let stopped = true
  /** While none is postponed, no message has to be looked up. */
  let waiting = true

  async function reportDue(batch: Batch, now = Date.now(), max = BATCH_SIZE): Promise<void> {
    const due = await listDueUndecryptable(store, instance, now, max)
    for (const { payload } of due) batch.addEvents(createEvent('undecryptable', payload))
    for (let from = 0; from < due.length; from += BATCH_SIZE) {
      const ids = due.slice(from, from + BATCH_SIZE).map(({ messageid }) => messageid)
      batch.addStatement(deleteUndecryptable(store, instance, ids))
    }
    const next = await findNextDue(store, instance)
    waiting = next !== undefined
    if (next !== undefined) scheduleReport(Math.max(next - Date.now(), SECOND / 10))
  }

  function scheduleReport(ms: number): void {
    if (stopped || timer) return
    timer = setTimeout(() => {
      timer = undefined
      enqueue((batch) =>
        reportDue(batch).catch((error) => {
          scheduleReport(MAX_REPAIR_MS)
          throw error
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
      const name = qualifyNameByOrigin(messageid, toOrigin(message))
      batch.addStatement(
        storeUndecryptable(store, { instance, messageid: name, dueAt: Date.now() + MAX_REPAIR_MS, payload }),
      )
      waiting = true
      scheduleReport(MAX_REPAIR_MS)
    },
    handleRepair(batch, message) {
      if (waiting)
        batch.addStatement(
          deleteUndecryptable(store, instance, [qualifyNameByOrigin(message.messageid, toOrigin(message))]),
        )
    },
    reportPostponed: (batch) => reportDue(batch, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    start() {
      stopped = false
      scheduleReport(0)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      timer = undefined
    },
  }
}
