// Sends that nobody waits for, known on disk until it is told what became of them: by a later process too.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { Store } from '../store/store.ts'
import { forgetUnawaited, keepUnawaited, listUnawaited, markUnawaitedTold } from '../store/unawaited.ts'
import type { Batch } from './batch.ts'
import { outcomeEvent, unknownEvent } from './reporting.ts'

export interface Unawaited {
  /** With the message itself, before anything of it is said to the network. */
  add(batch: Batch, messageid: string): void
  /** What became of a message is known: it is told if nobody waits for it. */
  settle(batch: Batch, record: MessageRecord): void
  /** The network was asked and did not say what became of it: so it is told, once. Should it become known later, that is told too. */
  unknown(batch: Batch, messageid: string): Promise<void>
  /** What an earlier process or lease has left: nobody knows what became of it. */
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
    batch.run(markUnawaitedTold(store, instance, messageid))
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
        // One of our own, that has begun meanwhile.
        if (open.has(messageid)) continue
        open.add(messageid)
        if (!told) await unknown(batch, messageid)
      }
    },
  }
}
