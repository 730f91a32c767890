// Unawaited sends, stored until their outcome is reported, so that a later process can report it too.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { Store } from '../store/store.ts'
import { forgetUnawaited, keepUnawaited, listUnawaited, markUnawaitedReported } from '../store/unawaited.ts'
import type { Batch } from './batch.ts'
import { outcomeEvent, unknownEvent } from './reporting.ts'

export interface Unawaited {
  /** In the batch that stores the message, before anything of it is sent to the network. */
  add(batch: Batch, messageid: string): void
  /** Reports the outcome of the message if it is an unawaited send. */
  settle(batch: Batch, record: MessageRecord): void
  /** Reports, once, that the outcome is unknown. A late outcome is reported too. */
  unknown(batch: Batch, messageid: string): Promise<void>
  /** Reports the sends that an earlier process or lease left without an outcome as unknown. */
  recall(batch: Batch): Promise<void>
}

export function makeUnawaited(store: Store, instance: string): Unawaited {
  const open = new Set<string>()

  function forget(batch: Batch, messageid: string): void {
    batch.run(forgetUnawaited(store, instance, messageid))
    batch.afterwards(() => void open.delete(messageid))
  }

  async function unknown(batch: Batch, messageid: string): Promise<void> {
    const { record } = (await batch.find(messageid)) ?? {}
    if (record?.status !== 'Pending') return forget(batch, messageid)
    batch.report(unknownEvent(record))
    batch.run(markUnawaitedReported(store, instance, messageid))
  }

  return {
    add(batch, messageid) {
      open.add(messageid)
      batch.run(keepUnawaited(store, instance, messageid))
    },
    settle(batch, record) {
      if (!open.has(record.messageid)) return
      batch.report(outcomeEvent(record))
      forget(batch, record.messageid)
    },
    async unknown(batch, messageid) {
      if (open.has(messageid)) await unknown(batch, messageid)
    },
    async recall(batch) {
      for (const { messageid, told } of await listUnawaited(store, instance)) {
        // This process began it meanwhile.
        if (open.has(messageid)) continue
        open.add(messageid)
        if (!told) await unknown(batch, messageid)
      }
    },
  }
}
