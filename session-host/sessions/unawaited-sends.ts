// Unawaited sends, stored until their outcome is reported, so that a later process can report it too.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { LeavingMark } from '../store/leaving-mark.ts'
import {
  deleteUnawaited,
  listUnawaited,
  markUnawaitedLeft,
  markUnawaitedReported,
  storeUnawaited,
} from '../store/unawaited-store.ts'
import type { Batch } from './intake-batch.ts'
import { createOutcomeEvent, createUnknownEvent } from './message-records.ts'

export class UnawaitedSends {
  readonly #store: FencedStore
  readonly #instance: string
  /** The marks of those that this process began. */
  readonly #open = new Map<string, LeavingMark | undefined>()

  constructor(store: FencedStore, instance: string) {
    this.#store = store
    this.#instance = instance
  }

  /** In the batch that stores the message, before anything of it is sent to the network; or later, when its caller has gone. */
  addSend(batch: Batch, messageid: string, hasLeft = false): void {
    const mark = new LeavingMark(this.#store, this.#instance, () =>
      markUnawaitedLeft(this.#store, this.#instance, messageid),
    )
    if (hasLeft) mark.set()
    this.#open.set(messageid, mark)
    batch.addStatement(mark.createInsert((hasLeft) => storeUnawaited(this.#instance, messageid, hasLeft)))
  }

  /** The message is about to leave; that is on disk before. */
  markLeft(messageid: string): void {
    this.#open.get(messageid)?.set()
  }

  /** Reports the outcome of the message if it is an unawaited send. */
  reportOutcome(batch: Batch, record: MessageRecord): void {
    if (!this.#open.has(record.messageid)) return
    batch.addEvents(createOutcomeEvent(record))
    this.#remove(batch, record.messageid)
  }

  /** Reports, once, that the outcome is unknown. A late outcome is reported too. */
  async reportUnknown(batch: Batch, messageid: string): Promise<void> {
    if (this.#open.has(messageid)) await this.#reportIfPending(batch, messageid)
  }

  /**
   * Reports the sends that an earlier process or lease left without an outcome as unknown. Returns those of which nothing has left: they
   * have failed.
   */
  async reportInterrupted(batch: Batch): Promise<string[]> {
    const unsent: string[] = []
    for (const { messageid, unknownReported, hasLeft } of await listUnawaited(this.#store, this.#instance)) {
      // This process began it meanwhile.
      if (this.#open.has(messageid)) continue
      this.#open.set(messageid, undefined)
      if (!hasLeft) unsent.push(messageid)
      else if (!unknownReported) await this.#reportIfPending(batch, messageid)
    }
    return unsent
  }

  /** There is no such message, or it is not pending: nothing of it is reported. */
  drop(batch: Batch, messageid: string): void {
    this.#remove(batch, messageid)
  }

  async #reportIfPending(batch: Batch, messageid: string): Promise<void> {
    const { record } = (await batch.findRow(messageid)) ?? {}
    if (record?.status !== 'Pending') return this.#remove(batch, messageid)
    batch.addEvents(createUnknownEvent(record))
    batch.addStatement(markUnawaitedReported(this.#store, this.#instance, messageid))
  }

  #remove(batch: Batch, messageid: string): void {
    batch.addStatement(deleteUnawaited(this.#store, this.#instance, messageid))
    batch.onCommitted(() => void this.#open.delete(messageid))
  }
}
