// Downloads of files that share a host: piece by piece between other work, round the instances.

import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { DownloadTurns } from '../../session-host/media/download-turns.ts'

const PIECE = Buffer.alloc(1000, 'x')
const never = new AbortController().signal

/** A file of some pieces. */
const createFile = (pieces: number): Readable => Readable.from(Array<Buffer>(pieces).fill(PIECE))

/** Downloads a file, and notes the owner of each piece as it passes. */
function download(turns: DownloadTurns, instance: string, pieces: number, passed: string[]) {
  return turns.runDownload(instance, never, async (paced) => {
    let bytes = 0
    for await (const piece of paced.passPieces(createFile(pieces))) {
      passed.push(instance)
      bytes += piece.length
    }
    return bytes
  })
}

test('one piece of all downloads passes in a turn of the event loop, and other work goes between them', async () => {
  const turns = new DownloadTurns(0)
  const passed: string[] = []
  let loops = 0
  let isDone = false
  const countLoop = () => {
    loops += 1
    if (!isDone) setImmediate(countLoop)
  }
  setImmediate(countLoop)
  const bytes = await Promise.all(Array.from({ length: 20 }, () => download(turns, 'loud', 5, passed)))
  isDone = true
  expect(bytes).toEqual(Array(20).fill(5 * PIECE.length))
  expect(loops).toBeGreaterThanOrEqual(passed.length)
})

test('the pieces go round the instances, so that one file beside many of another passes like one of two', async () => {
  const turns = new DownloadTurns(0)
  const passed: string[] = []
  const loud = Array.from({ length: 20 }, () => download(turns, 'loud', 20, passed))
  await download(turns, 'quiet', 20, passed)
  expect(passed.filter((owner) => owner === 'loud').length).toBeLessThan(50)
  await Promise.all(loud)
})

test('a download that has begun goes on as its instance gets new bytes, and the next one is refused', async () => {
  // 60,000 bytes a minute: one piece a second beyond them.
  const turns = new DownloadTurns(60_000)
  const passed: string[] = []
  const startedAt = performance.now()
  expect(await download(turns, 'one', 62, passed)).toBe(62 * PIECE.length)
  expect(performance.now() - startedAt).toBeGreaterThan(500)
  expect(await download(turns, 'one', 1, passed)).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
  expect(await download(turns, 'third', 1, passed)).toBe(PIECE.length)
})

test('an instance has at most 32 downloads under way and 32 that wait, and a neighbour none of that wait', async () => {
  const turns = new DownloadTurns(0)
  const release = Promise.withResolvers<void>()
  const begin = (instance: string) => turns.runDownload(instance, never, () => release.promise)
  const all = Array.from({ length: 65 }, () => begin('loud'))
  expect(await all[64]).toMatchObject({
    kind: 'refused',
    fault: 'quota_reached',
    waitMs: expect.any(Number),
  })
  expect([turns.files.underWay, turns.files.waiting]).toEqual([32, 32])
  const quiet = begin('quiet')
  expect([turns.files.underWay, turns.files.waiting]).toEqual([33, 32])
  release.resolve()
  await Promise.all([...all, quiet])
  expect(turns.files.underWay).toBe(0)
})

test('a download that its reader leaves ends its file, and gives its place back', async () => {
  const turns = new DownloadTurns(0)
  const file = createFile(100)
  await turns.runDownload('one', never, async (paced) => {
    for await (const _ of paced.passPieces(file)) break
  })
  expect(file.destroyed).toBe(true)
  expect(turns.files.underWay).toBe(0)
  expect(await buffer(createFile(2))).toHaveLength(2 * PIECE.length)
})
