// Unawaited sends, stored until their outcome is reported, so that a later process can report it too.

import type { MessageRecord } from '../../shared/contract/message-requests.ts'
import type { Store } from '../store/host-store.ts'
import {
  deleteUnawaited,
  listUnawaited,
  markUnawaitedReported,
  storeUnawaited,
} from '../store/unawaited-store.ts'
import type { Batch } from './intake-batch.ts'
import { createOutcomeEvent, createUnknownEvent } from './message-records.ts'

export class UnawaitedSends {
  readonly #store: Store
  readonly #instance: string
  readonly #open = new Set<string>()

  constructor(store: Store, instance: string) {
    this.#store = store
    this.#instance = instance
  }

  /** In the batch that stores the message, before anything of it is sent to the network. */
  addSend(batch: Batch, messageid: string): void {
    this.#open.add(messageid)
    batch.addStatement(storeUnawaited(this.#store, this.#instance, messageid))
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

  /** Reports the sends that an earlier process or lease left without an outcome as unknown. */
  async reportInterrupted(batch: Batch): Promise<void> {
    for (const { messageid, unknownReported } of await listUnawaited(this.#store, this.#instance)) {
      // This process began it meanwhile.
      if (this.#open.has(messageid)) continue
      this.#open.add(messageid)
      if (!unknownReported) await this.#reportIfPending(batch, messageid)
    }
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
