// A file by URL that is read whole, of which not all arrives in time: nothing of it is read or counted after its refusal.

import { HeldBytes } from '@msgnet/edge/limits/held-bytes.ts'
import { FileContent } from '@msgnet/edge/media/file-content.ts'
import { readWholeFile } from '@msgnet/edge/media/media-input.ts'
import type { Env } from '@msgnet/edge/settings/env.ts'
import { expect, onTestFinished, test, vi } from 'vitest'

const rules = { field: 'image' }

test('a server that never ends a file is disconnected with the refusal', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let isOpen = true
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Uint8Array.of(1)),
    cancel: () => {
      isOpen = false
    },
  })
  const file = { content: new FileContent(body), closeInput: () => undefined }
  const reading = readWholeFile(file, rules, new HeldBytes({} as Env, 'instance one'))
  const refused = expect(reading).rejects.toMatchObject({ body: { error: 'media_unavailable' } })
  vi.runAllTimers()
  await refused
  expect(isOpen).toBe(false)
})

test('a connection that breaks off is named, and no error is left unhandled', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('ECONNRESET')),
  })
  const file = { content: new FileContent(body), closeInput: () => undefined }
  await expect(readWholeFile(file, rules, new HeldBytes({} as Env, 'instance one'))).rejects.toThrow(
    'the connection was lost',
  )
})
