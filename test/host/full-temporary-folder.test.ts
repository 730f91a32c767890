// The disk under the temporary files is full or broken while a file is sent: that is no fault of the file, and nothing of it is left.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  convertPicture,
  convertToMp3,
  drawThumbnail,
  prepareFile,
} from '@msgnet/session-host/actions/outgoing-files.ts'
import { MediaTransfers } from '@msgnet/session-host/driver/baileys/messages/media-transfers.ts'
import type { MediaKind } from '@msgnet/session-host/driver/driver.ts'
import { MediaJobs } from '@msgnet/session-host/media/media-jobs.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { usePrivateFolder } from '@msgnet/session-host/process/private-folder.ts'
import { findStoreFault } from '@msgnet/session-host/process/store-fault.ts'
import { pino } from 'pino'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createWav, readMediaFile } from '../media-files.ts'

/** A disk of a size of its own takes a mount. */
const mayMount = process.getuid?.() === 0
const { TMPDIR } = process.env
const base = mkdtempSync(join(tmpdir(), 'full-temporary-'))
const disk = join(base, 'disk')
const folderThatIsAFile = join(base, 'file')
const request = { instance: 'one', deadline: new AbortController().signal }

let jobs: MediaJobs

beforeAll(() => {
  mkdirSync(disk)
  writeFileSync(folderThatIsAFile, '')
  if (mayMount) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk])
  jobs = new MediaJobs(createSilentLog(), undefined, { costPerMinute: Number.MAX_SAFE_INTEGER, idleMs: 0 })
})
afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
})
afterAll(() => {
  jobs.stop()
  if (mayMount) execFileSync('umount', ['-l', disk])
  rmSync(base, { recursive: true })
})

const openStream = (bytes: Buffer) => async () => new Blob([Uint8Array.from(bytes)]).stream()
const prepare = (kind: MediaKind, bytes: Buffer) => prepareFile(jobs, { ...request, kind }, openStream(bytes))
const encrypt = (type: MediaKind, bytes: Buffer) =>
  new MediaTransfers({} as never, {} as never, async () => undefined).encryptFile(
    type,
    Readable.from([bytes]),
  )
const toMp3 = (bytes: Buffer) => convertToMp3(jobs, { ...request, file: Readable.from([bytes]) })

/** Of what is thrown, or of a refusal. */
const nameFault = (work: Promise<unknown>) =>
  work.then(
    (outcome) => [
      (outcome as { fault?: string } | undefined)?.fault,
      (outcome as { message?: string })?.message,
    ],
    (error) => ['storage_unavailable', findStoreFault(error)?.message],
  )

const large = Buffer.concat([createWav(1), Buffer.alloc(400 * 1024)])

test.runIf(mayMount).each([
  ['a document', () => encrypt('document', large)],
  ['an image with a preview', () => encrypt('image', large)],
  ['a voice note', () => prepare('ptt', large)],
  ['a sticker', () => prepare('sticker', large)],
  ['the MP3 of a sound', () => toMp3(large)],
])('for %s that fills the disk the refusal is that of the storage, and nothing is left', async (_, send) => {
  process.env.TMPDIR = disk
  expect(await nameFault(send())).toEqual(['storage_unavailable', 'the disk is full'])
  expect(readdirSync(disk)).toEqual([])
})

const drawNoise = () =>
  sharp({
    create: {
      width: 640,
      height: 640,
      channels: 3,
      background: '#777',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg({ quality: 40 })
    .toBuffer()

test.runIf(mayMount)('a link whose picture fills the disk has none, and the log says why', async () => {
  process.env.TMPDIR = disk
  const lines: string[] = []
  const log = pino(
    { serializers: { error: (error: Error) => error.message } },
    { write: (line) => lines.push(line) },
  )
  const share = { countBytes: (body: ReadableStream<Uint8Array>) => body }
  const body = await openStream(large)()
  expect(await drawThumbnail(jobs, { ...request, log, share, body })).toBeUndefined()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { instance: 'one', msg: 'failed to store picture of link', error: expect.stringContaining('ENOSPC') },
  ])
  expect(readdirSync(disk)).toEqual([])
})

const PAGE = 4096
/** Takes all of the disk but the room for a file of this size, until the test ends. */
function leaveRoom(bytes: number): void {
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(256 * 1024 - Math.ceil(bytes / PAGE) * PAGE))
  onTestFinished(() => rmSync(ballast))
}

test.runIf(mayMount).each([
  ['a voice note', 'voice.flac', (bytes: Buffer) => prepare('ptt', bytes)],
  ['the MP3 of a sound', 'voice.flac', toMp3],
  ['a sticker', 'noise', (bytes: Buffer) => prepare('sticker', bytes)],
  ['a picture', 'noise', (bytes: Buffer) => convertPicture(jobs, { ...request, bytes })],
])('%s for whose converted file the disk has no room is not called damaged', async (_, name, send) => {
  const bytes = name === 'noise' ? await drawNoise() : readMediaFile(name)
  process.env.TMPDIR = disk
  leaveRoom(bytes.length)
  expect(await nameFault(send(bytes))).toEqual(['storage_unavailable', 'the disk is full'])
  expect(readdirSync(disk)).toEqual(['ballast'])
})

test.each([
  ['a document', () => encrypt('document', large)],
  ['an image with a preview', () => encrypt('image', large)],
  ['a voice note', () => prepare('ptt', large)],
  ['the MP3 of a sound', () => toMp3(large)],
])(
  '%s for which the temporary folder cannot be used is refused as a fault of the storage',
  async (_, send) => {
    process.env.TMPDIR = folderThatIsAFile
    expect(await nameFault(send())).toEqual(['storage_unavailable', 'the store cannot be read or written'])
    process.env.TMPDIR = join(base, 'deleted')
    expect(await nameFault(send())).toEqual(['storage_unavailable', 'the store cannot be read or written'])
  },
)

test('the transfer of an image ends at once when its preview cannot be written', async () => {
  process.env.TMPDIR = join(base, 'deleted')
  const file = Readable.from([large])
  const transfers = new MediaTransfers({} as never, {} as never, async () => undefined)
  await expect(transfers.encryptFile('image', file)).rejects.toThrow()
  expect(file.destroyed).toBe(true)
})

test.runIf(mayMount)('what a dead host has left and cannot be deleted is in the way of no file', async () => {
  const umask = process.umask()
  onTestFinished(() => void process.umask(umask))
  // A mount point: a folder that not even root can delete.
  const left = join(base, 'host', 'tmp', '99999999')
  mkdirSync(left, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', left])
  onTestFinished(() => void execFileSync('umount', [left]))
  usePrivateFolder(base)
  const encrypted = await encrypt('document', large)
  expect(encrypted).toBeDefined()
  await encrypted?.remove()
})

test('a file whose transfer breaks off is still one that did not arrive', async () => {
  const breakOff = () =>
    (async function* () {
      yield createWav(1)
      throw new Error('the transferred file is torn')
    })()
  const transfers = new MediaTransfers({} as never, {} as never, async () => undefined)
  expect(await transfers.encryptFile('document', Readable.from(breakOff()))).toBeUndefined()
  const voice = prepareFile(jobs, { ...request, kind: 'ptt' }, async () => ReadableStream.from(breakOff()))
  expect(await voice).toMatchObject({ fault: 'media_unavailable' })
})
