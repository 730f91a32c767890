// A file that the phone uploads again for a download: what became of its message meanwhile stays.

import { Readable } from 'node:stream'
import { mediaActions } from '@msgnet/session-host/actions/media-actions.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import type { MessageRow } from '@msgnet/session-host/store/message-store.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { expect, test } from 'vitest'

type Context = Parameters<(typeof mediaActions)['message.download']>[0]

const before = {
  messageid: 'FILE',
  encoded: new Uint8Array([1]),
  record: { ...emptyMessage, messageid: 'FILE', type: 'media', text: 'a caption' },
} as MessageRow
const reuploaded = new Uint8Array([2])

/** Downloads it; meanwhile the message becomes `now`. Returns the message as it is afterwards. */
async function download(now: MessageRow): Promise<MessageRow> {
  let stored = before
  const batch = {
    findRow: async () => stored,
    rewriteRow(row: MessageRow) {
      stored = row
    },
  } as unknown as Batch
  const intake = {
    findMessage: async () => stored,
    runInBatch: (work: (batch: Batch) => Promise<void>) => work(batch),
    async changePending(record: MessageRow['record'], encoded: MessageRow['encoded']) {
      batch.rewriteRow({ ...stored, record, encoded })
    },
  }
  const askPhone = async () => {
    stored = now
    return { kind: 'done', value: { file: Readable.from(['bytes']), reuploaded } }
  }
  const paced = {
    passPieces: (file: Readable) => file,
    watchReader: (pieces: AsyncIterable<Uint8Array>) => pieces,
  }
  const context = {
    session: { instance: 'instance', intake, storedMedia: { openFile: async () => undefined } },
    network: { media: { download: askPhone } },
    transfers: { uploadFile: async () => true },
    downloads: {
      runDownload: (_: string, __: AbortSignal, work: (paced: unknown) => unknown) => work(paced),
    },
  } as unknown as Context
  const request = { id: 'FILE', parcel: 'parcel', mp3: false } as Parameters<
    (typeof mediaActions)['message.download']
  >[1]
  expect(await mediaActions['message.download'](context, request)).toMatchObject({ kind: 'done' })
  return stored
}

test('a message that was deleted while the phone uploaded its file stays deleted', async () => {
  const deleted = { ...before, encoded: null, record: { ...before.record, text: '', status: 'Deleted' } }
  expect(await download(deleted as MessageRow)).toEqual(deleted)
})

test('a message that was changed while the phone uploaded its file has the change and the new place', async () => {
  const starred = { ...before, record: { ...before.record, content: { starred: true } } }
  expect(await download(starred)).toEqual({ ...starred, encoded: reuploaded })
})
