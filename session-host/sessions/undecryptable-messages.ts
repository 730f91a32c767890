// Messages that cannot be read, postponed for as long as a later message may make them readable, across restarts, and then reported.

import type { UndecryptablePayload } from '@msgnet/shared/contract/change-envelopes.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { NetworkMessage } from '../driver/driver.ts'
import type { Store } from '../store/host-store.ts'
import type { MessageRow } from '../store/message-store.ts'
import {
  deleteUndecryptable,
  findNextDue,
  listDueUndecryptable,
  storeUndecryptable,
} from '../store/undecryptable-store.ts'
import type { Batch } from './intake-batch.ts'
import type { LostMessages } from './lost-messages.ts'
import { qualifyNameByOrigin, toOrigin } from './message-lookup.ts'
import { createEvent, type NewEvent } from './message-records.ts'

const MAX_REPAIR_MS = 5 * SECOND
/** Reported in one batch. */
const BATCH_SIZE = 200

export class UndecryptableMessages {
  readonly #store: Store
  readonly #instance: string
  readonly #lost: LostMessages
  readonly #enqueue: (work: (batch: Batch) => Promise<void>) => void
  #timer: NodeJS.Timeout | undefined
  #stopped = true
  /** While none is postponed, no message has to be looked up. */
  #waiting = true

  /** `enqueue` runs its work in turn with the other news of the session, in a batch that is then committed. */
  constructor(
    store: Store,
    instance: string,
    lost: LostMessages,
    enqueue: (work: (batch: Batch) => Promise<void>) => void,
  ) {
    this.#store = store
    this.#instance = instance
    this.#lost = lost
    this.#enqueue = enqueue
  }

  /** Stored by chat and sender too, because only its sender can repair it. */
  postpone(batch: Batch, message: NetworkMessage): void {
    const { messageid, chat, sender, text, at } = message
    const event = { messageid, chatid: chat.id, sender: sender.id, reason: text, timestamp: at }
    this.#postponeReport(
      batch,
      qualifyNameByOrigin(messageid, toOrigin(message)),
      createEvent('undecryptable', { event }),
    )
  }

  /** A change that cannot be read while the message that it changes is missing. */
  postponeChange(batch: Batch, { messageid, record }: MessageRow, event: NewEvent): void {
    this.#postponeReport(batch, qualifyNameByOrigin(messageid, record), event)
  }

  /** That message has arrived. */
  handleTarget(batch: Batch, { messageid, record }: MessageRow): void {
    const name = qualifyNameByOrigin(messageid, record)
    batch.addStatement(deleteUndecryptable(this.#store, this.#instance, [name]))
  }

  #postponeReport(batch: Batch, name: string, { type, payload }: NewEvent): void {
    const dueAt = Date.now() + MAX_REPAIR_MS
    const row = { instance: this.#instance, messageid: name, dueAt, type, payload }
    batch.addStatement(storeUndecryptable(this.#store, row))
    this.#waiting = true
    this.#scheduleReport(MAX_REPAIR_MS)
  }

  /** The sender has sent it again. */
  handleRepair(batch: Batch, message: NetworkMessage): void {
    if (!this.#waiting) return
    const name = qualifyNameByOrigin(message.messageid, toOrigin(message))
    batch.addStatement(deleteUndecryptable(this.#store, this.#instance, [name]))
  }

  /** Reports all that are postponed: this host no longer receives the repairs. */
  reportPostponed(batch: Batch): Promise<void> {
    return this.#reportDue(batch, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  }

  /** Those that an earlier process or an earlier lease postponed may have been repaired meanwhile: that comes with the connection. */
  start(): void {
    this.#stopped = false
    this.#scheduleReport(MAX_REPAIR_MS)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #reportDue(batch: Batch, now = Date.now(), max = BATCH_SIZE): Promise<void> {
    const due = await listDueUndecryptable(this.#store, this.#instance, now, max)
    for (const { type, payload, messageid } of due) {
      batch.addEvents({ type, payload })
      const { event } = payload as Partial<UndecryptablePayload>
      if (type === 'undecryptable' && event) this.#lost.add(batch, messageid, event)
    }
    for (let from = 0; from < due.length; from += BATCH_SIZE) {
      const ids = due.slice(from, from + BATCH_SIZE).map(({ messageid }) => messageid)
      batch.addStatement(deleteUndecryptable(this.#store, this.#instance, ids))
    }
    const next = await findNextDue(this.#store, this.#instance)
    this.#waiting = next !== undefined
    if (next !== undefined) this.#scheduleReport(Math.max(next - Date.now(), SECOND / 10))
  }

  #scheduleReport(ms: number): void {
    if (this.#stopped || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#enqueue((batch) =>
        this.#reportDue(batch).catch((error) => {
          this.#scheduleReport(MAX_REPAIR_MS)
          throw error
        }),
      )
    }, ms)
    this.#timer.unref()
  }
}
