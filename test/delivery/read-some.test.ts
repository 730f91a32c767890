// How much is read of an answer, counted where it is read from.

import { expect, test } from 'vitest'
import { readSome } from '../../edge/delivery/read-some.ts'

const KIB = 1024

test('of an answer without end 64 KiB are read, and then it is hung up', async () => {
  const seen = { read: 0, cancelled: false }
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      seen.read += KIB
      controller.enqueue(new Uint8Array(KIB))
    },
    cancel() {
      seen.cancelled = true
    },
  }
  await readSome(new ReadableStream(source, { highWaterMark: 0 }))
  expect(seen).toEqual({ read: 64 * KIB, cancelled: true })
})

test('an answer that breaks off fails', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('connection lost')) })
  await expect(readSome(broken)).rejects.toThrow('connection lost')
})
