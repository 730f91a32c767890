// The room for temporary files of what is sent: shared by instances, by what is still free.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NoRoom, type SpaceShare, TemporarySpace } from '@msgnet/session-host/media/temporary-space.ts'
import { expect, test } from 'vitest'

const PIECE = Buffer.alloc(10)

/** Writes a file of some pieces of ten bytes, and returns how many of them found room. */
async function write(share: SpaceShare, pieces: number): Promise<number> {
  let written = 0
  const file = Readable.from(Array<Buffer>(pieces).fill(PIECE))
  await pipeline(
    file,
    (chunks: AsyncIterable<Buffer>) => share.countBytes(chunks),
    async (chunks) => {
      for await (const _ of chunks) written += 1
    },
  ).catch((error) => {
    if (!(error instanceof NoRoom)) throw error
  })
  expect(file.destroyed).toBe(true)
  return written
}

test('one instance fills half of the room, and the next ones find some', async () => {
  const space = new TemporarySpace(1000)
  const loud = [space.openShare('loud'), space.openShare('loud')]
  expect(await write(loud[0] as SpaceShare, 30)).toBe(30)
  expect(await write(loud[1] as SpaceShare, 100)).toBe(20)
  expect(loud.map((share) => share.refusal?.fault)).toEqual([undefined, 'quota_reached'])
  const quiet = space.openShare('quiet')
  expect(await write(quiet, 20)).toBe(20)
  expect(quiet.refusal).toBeUndefined()
  expect(space.usedBytes).toBe(700)
})

test('what is released is free again, also of a file that found no room', async () => {
  const space = new TemporarySpace(100)
  const share = space.openShare('one')
  expect(await write(share, 100)).toBe(5)
  share.release()
  share.release()
  expect(space.usedBytes).toBe(0)
  expect(await write(space.openShare('one'), 5)).toBe(5)
})
