// Files that the phone has uploaded again: their messages name the new place on the media hosts.

import type { MessageRow } from '../store/message-store.ts'
import type { Intake } from './intake.ts'

/** `before`: the message for which the phone was asked. If it was deleted or edited since, it stays as it is. */
export function storeReupload(
  intake: Pick<Intake, 'runInBatch'>,
  before: MessageRow,
  encoded: Uint8Array<ArrayBuffer>,
): Promise<void> {
  return intake.runInBatch(async (batch) => {
    const row = await batch.findRow(before.messageid)
    if (row?.encoded && before.encoded && Buffer.compare(row.encoded, before.encoded) === 0)
      batch.rewriteRow({ ...row, encoded })
  })
}
