// Stored files are sealed in chunks: they open whole, and with any change they do not open.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  CHUNK_BYTES,
  createOpenStream,
  createSealStream,
} from '@msgnet/session-host/stored-media/file-sealing.ts'
import { expect, test } from 'vitest'

const key = randomBytes(32)
const SEALED_CHUNK = CHUNK_BYTES + 16

const sealBytes = (bytes: Buffer, by = key) => buffer(Readable.from([bytes]).pipe(createSealStream(by)))

/** In pieces that end anywhere but at the end of a chunk. */
function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007)
}
const openBytes = (sealed: Buffer, by = key) =>
  buffer(Readable.from(splitBytes(sealed)).pipe(createOpenStream(by)))

test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 5 * CHUNK_BYTES])(
  'a file of %i bytes opens as it was sealed',
  async (length) => {
    const bytes = randomBytes(length)
    const sealed = await sealBytes(bytes)
    expect(sealed.length).toBe(length + 16 * Math.max(1, Math.ceil(length / CHUNK_BYTES)))
    expect((await openBytes(sealed)).equals(bytes)).toBe(true)
  },
)

const changeByte = (sealed: Buffer, at: number) => {
  const copy = Buffer.from(sealed)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

test.each<[string, (sealed: Buffer) => Buffer]>([
  ['a changed byte', (sealed) => changeByte(sealed, 70_000)],
  ['a changed tag', (sealed) => changeByte(sealed, sealed.length - 1)],
  ['no end', (sealed) => sealed.subarray(0, 2 * SEALED_CHUNK)],
  ['half a chunk at its end', (sealed) => sealed.subarray(0, 2 * SEALED_CHUNK + 8)],
  ['no bytes', () => Buffer.alloc(0)],
  ['a further chunk', (sealed) => Buffer.concat([sealed, sealed.subarray(0, SEALED_CHUNK)])],
  [
    'two chunks in the other order',
    (sealed) =>
      Buffer.concat([
        sealed.subarray(SEALED_CHUNK, 2 * SEALED_CHUNK),
        sealed.subarray(0, SEALED_CHUNK),
        sealed.subarray(2 * SEALED_CHUNK),
      ]),
  ],
])('a stored file with %s does not open', async (_, change) => {
  const sealed = await sealBytes(randomBytes(3 * CHUNK_BYTES))
  await expect(openBytes(change(sealed))).rejects.toThrow()
})

test('a stored file does not open with the key of another file', async () => {
  await expect(openBytes(await sealBytes(Buffer.from('words')), randomBytes(32))).rejects.toThrow()
})
