// The settings that an account's devices share are read up to a number of bytes, whatever a media host sends.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  type SyncContext,
  syncCollection,
} from '@msgnet/session-host/driver/baileys/settings/settings-sync.ts'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { expect, test } from 'vitest'

const MIB = 1024 * 1024

/** A network that names a file on a media host, which sends it without end, up to `maxBytes`. */
function openContext(maxBytes: number) {
  let sent = 0
  async function* sendFile() {
    for (; sent < maxBytes; sent += MIB) yield Buffer.alloc(MIB)
  }
  const reference = proto.ExternalBlobReference.encode({
    mediaKey: randomBytes(32),
    directPath: '/v/settings',
    fileSha256: randomBytes(32),
    fileEncSha256: randomBytes(32),
  })
  const snapshot = { tag: 'snapshot', attrs: {}, content: reference.finish() }
  const collection = { tag: 'collection', attrs: { name: 'regular' }, content: [snapshot] }
  const response = { tag: 'iq', attrs: {}, content: [{ tag: 'sync', attrs: {}, content: [collection] }] }
  const context = {
    sock: {
      authState: { keys: { get: async () => ({}) } },
      generateMessageTag: () => '1',
      query: async () => response,
      ws: { isOpen: true },
    },
    media: { downloadFile: async () => ({ kind: 'done', value: Readable.from(sendFile()) }) },
  } as unknown as SyncContext
  return { context, countSent: () => sent }
}

test('a file of settings that does not end is given up, and not taken into memory', async () => {
  const { context, countSent } = openContext(256 * MIB)
  const reading = syncCollection(context, 'regular', false, AbortSignal.timeout(60_000))
  await expect(reading).rejects.toThrow('the file is too large')
  expect(countSent()).toBeLessThan(64 * MIB)
})
