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

export interface UnawaitedSends {
  /** In the batch that stores the message, before anything of it is sent to the network. */
  addSend(batch: Batch, messageid: string): void
  /** Reports the outcome of the message if it is an unawaited send. */
  reportOutcome(batch: Batch, record: MessageRecord): void
  /** Reports, once, that the outcome is unknown. A late outcome is reported too. */
  reportUnknown(batch: Batch, messageid: string): Promise<void>
  /** Reports the sends that an earlier process or lease left without an outcome as unknown. */
  reportInterrupted(batch: Batch): Promise<void>
}

export function createUnawaitedSends(store: Store, instance: string): UnawaitedSends {
  const open = new Set<string>()

  function removeSend(batch: Batch, messageid: string): void {
    batch.addStatement(deleteUnawaited(store, instance, messageid))
    batch.onCommitted(() => void open.delete(messageid))
  }

  async function reportUnknown(batch: Batch, messageid: string): Promise<void> {
    const { record } = (await batch.findRow(messageid)) ?? {}
    if (record?.status !== 'Pending') return removeSend(batch, messageid)
    batch.addEvents(createUnknownEvent(record))
    batch.addStatement(markUnawaitedReported(store, instance, messageid))
  }

  return {
    addSend(batch, messageid) {
      open.add(messageid)
      batch.addStatement(storeUnawaited(store, instance, messageid))
    },
    reportOutcome(batch, record) {
      if (!open.has(record.messageid)) return
      batch.addEvents(createOutcomeEvent(record))
      removeSend(batch, record.messageid)
    },
    async reportUnknown(batch, messageid) {
      if (open.has(messageid)) await reportUnknown(batch, messageid)
    },
    async reportInterrupted(batch) {
      for (const { messageid, unknownReported } of await listUnawaited(store, instance)) {
        // This process began it meanwhile.
        if (open.has(messageid)) continue
        open.add(messageid)
        if (!unknownReported) await reportUnknown(batch, messageid)
      }
    },
  }
}
