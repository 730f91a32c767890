// Downloads of files that share a host: piece by piece between other work, round the instances.

import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DownloadTurns } from '@msgnet/session-host/media/download-turns.ts'
import { expect, test } from 'vitest'

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

/** The event loop serves nobody meanwhile. */
function workFor(ms: number): number {
  const startedAt = performance.now()
  while (performance.now() - startedAt < ms);
  return performance.now() - startedAt
}

test('pieces that take long leave the event loop to others for as long', async () => {
  const turns = new DownloadTurns(0)
  const startedAt = performance.now()
  let worked = 0
  const passFile = () =>
    turns.runDownload('loud', never, async (paced) => {
      for await (const _ of paced.passPieces(createFile(5))) worked += workFor(4)
    })
  await Promise.all(Array.from({ length: 8 }, passFile))
  expect(worked / (performance.now() - startedAt)).toBeLessThan(0.6)
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

test('downloads whose readers left while they waited for a piece take no room of those that come after them', async () => {
  const turns = new DownloadTurns(0)
  const leave = () =>
    turns.runDownload('one', never, async (paced) => {
      const pieces = paced.passPieces(createFile(1))
      pieces.next().catch(() => undefined)
      void pieces.return(undefined)
      // The file's first piece has come, and waits for its turn.
      await new Promise(setImmediate)
    })
  await Promise.all(Array.from({ length: 32 }, leave))
  const bytes = await Promise.all(Array.from({ length: 32 }, () => download(turns, 'one', 2, [])))
  expect(bytes).toEqual(Array(32).fill(2 * PIECE.length))
})

/** Downloads whose readers take one piece and no more. */
function beginUnread(turns: DownloadTurns, instance: string, count: number) {
  const left = { ended: 0 }
  for (let n = 0; n < count; n++)
    void turns.runDownload(instance, never, async (paced) => {
      await paced.watchReader(paced.passPieces(createFile(100))).next()
      await once(paced.signal, 'abort')
      left.ended += 1
      expect(paced.refusal).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
    })
  return left
}

test('an instance without a download has a place, however many four others have', async () => {
  const turns = new DownloadTurns(0)
  const isDone = Promise.withResolvers<void>()
  const begin = (instance: string) => turns.runDownload(instance, never, () => isDone.promise)
  const all = ['a', 'b', 'c', 'd'].flatMap((loud) => Array.from({ length: 32 }, () => begin(loud)))
  expect(await download(turns, 'quiet', 3, [])).toBe(3 * PIECE.length)
  isDone.resolve()
  await Promise.all(all)
})

test('a download that is not read ends while another waits for its place', async () => {
  const turns = new DownloadTurns(0, 50)
  const loud = ['a', 'b', 'c'].map((instance) => beginUnread(turns, instance, 32))
  const few = beginUnread(turns, 'few', 1)
  const isDone = Promise.withResolvers<void>()
  // This has the place that is kept for the instance, and the next one waits.
  const first = turns.runDownload('quiet', never, () => isDone.promise)
  expect(await download(turns, 'quiet', 3, [])).toBe(3 * PIECE.length)
  isDone.resolve()
  await first
  expect(loud.reduce((sum, { ended }) => sum + ended, 0)).toBeGreaterThan(0)
  expect(few.ended).toBe(0)
})

test('an instance whose places are all unread ends one of its own, and none of another', async () => {
  const turns = new DownloadTurns(0, 50)
  const other = beginUnread(turns, 'other', 32)
  const own = beginUnread(turns, 'own', 32)
  expect(await download(turns, 'own', 3, [])).toBe(3 * PIECE.length)
  expect([own.ended > 0, other.ended]).toEqual([true, 0])
})

test('a download that waits for its bytes, and not for its reader, is not ended', async () => {
  const turns = new DownloadTurns(0, 50)
  const isDone = Promise.withResolvers<void>()
  const own = Array.from({ length: 32 }, () =>
    turns.runDownload('own', never, async (paced) => {
      await paced.passPieces(createFile(100)).next()
      await isDone.promise
      return paced.refusal ?? 'whole'
    }),
  )
  const next = turns.runDownload('own', AbortSignal.timeout(300), async () => 'begun')
  expect(await next).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
  isDone.resolve()
  expect(await Promise.all(own)).toEqual(Array(32).fill('whole'))
})
