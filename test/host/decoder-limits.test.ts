// What a decoder may take of the machine, whatever is in a file, and what becomes of it when its host or itself is killed.
// @module-tag slow

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { convertToMp3, findPreview, prepareFile } from '@msgnet/session-host/actions/outgoing-files.ts'
import type { MediaTask } from '@msgnet/session-host/media/media-job.ts'
import { MediaJobs } from '@msgnet/session-host/media/media-jobs.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import sharp from 'sharp'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createFlac } from '../flac-file.ts'
import { createWav, readMediaFile } from '../media-files.ts'
import { until } from '../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'decoder-limits-'))
afterAll(() => rmSync(folder, { recursive: true }))
const never = new AbortController().signal
const MIB = 1024 * 1024
let made = 0

function writeInput(bytes: Buffer): string {
  made += 1
  const path = join(folder, `${made}`)
  writeFileSync(path, bytes)
  return path
}

function startJobs(limits: { jobMs?: number } = {}) {
  const unpaced = { costPerMinute: Number.MAX_SAFE_INTEGER }
  const jobs = new MediaJobs(createSilentLog(), undefined, { ...unpaced, ...limits })
  onTestFinished(() => jobs.stop())
  const convert = (task: MediaTask, bytes: Buffer, instance = 'one') => {
    const input = writeInput(bytes)
    return jobs.runJob(instance, { task, input, output: `${input}-out` }, never)
  }
  return { jobs, convert }
}

/** The head of a FLAC that does not say how long it is, and no sound behind it. */
const flacWithoutSound = createFlac({ rate: 48_000, samples: 0 })
const webmOfZeros = Buffer.concat([readMediaFile('voice.webm').subarray(0, 400), Buffer.alloc(30_000)])

test.each([
  ['a FLAC without a block', 'audio', flacWithoutSound],
  ['a FLAC without a block', 'mp3', flacWithoutSound],
  ['a WebM that is all zeros behind its head', 'audio', webmOfZeros],
  ['a WebM that is all zeros behind its head', 'mp3', webmOfZeros],
] as const)(
  '%s as %s is refused before it has cost its instance a third of its minute',
  { timeout: 2 * MINUTE },
  async (_, task, bytes) => {
    // On a busy machine its seconds of CPU time take more than those of a job.
    const { jobs, convert } = startJobs({ jobMs: MINUTE })
    expect(await convert(task, bytes)).toMatchObject({ kind: 'refused', fault: 'unsupported_media_type' })
    expect(jobs.turns.sounds.cost).toBeLessThan(10_000)
  },
)

/** The ids of the decoders that a process has started. */
function listDecoders(host = process.pid): number[] {
  const children = readFileSync(`/proc/${host}/task/${host}/children`, 'utf8').split(' ')
  return children
    .filter(Boolean)
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('decoder-main'))
}

const readMemory = (pid: number | 'self'): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

/** Bytes of this process and of its decoders, at most, beyond what they have before the work. */
async function measureGrowth(work: () => Promise<unknown>): Promise<number> {
  const read = () => readMemory('self') + listDecoders().reduce((sum, pid) => sum + readMemory(pid), 0)
  const first = read()
  let peak = first
  const timer = setInterval(() => {
    peak = Math.max(peak, read())
  }, 10)
  await work()
  clearInterval(timer)
  return peak - first
}

const large = { width: 8000, height: 6000, channels: 3, background: 'red' } as const
/** Its only frame is a dot, but the whole picture is in memory. */
async function drawLargeGif(): Promise<Buffer> {
  const gif = await sharp({ create: { ...large, width: 1, height: 1 } })
    .gif()
    .toBuffer()
  gif.writeUInt16LE(large.width, 6)
  gif.writeUInt16LE(large.height, 8)
  return gif
}
const drawLarge = () => sharp({ create: large })
const drawSmall = () => sharp({ create: { ...large, width: 80, height: 60 } })

test.each([
  ['a GIF', 'picture', drawLargeGif],
  ['a progressive JPEG', 'preview', () => drawLarge().jpeg({ progressive: true }).toBuffer()],
  ['a PNG in passes', 'picture', () => drawLarge().png({ progressive: true }).toBuffer()],
  ['a GIF', 'sticker', drawLargeGif],
] as const)('%s of 48 megapixels as %s takes at most 150 MiB', async (_, task, draw) => {
  const { convert } = startJobs()
  const bytes = await draw()
  expect(await convert('picture', await drawSmall().png().toBuffer())).toMatchObject({ kind: 'done' })
  expect((await measureGrowth(() => convert(task, bytes))) / MIB).toBeLessThan(150)
  expect(await convert('picture', await drawSmall().png().toBuffer())).toMatchObject({ kind: 'done' })
})

test('a picture that is nearly all height has a small preview', async () => {
  const { jobs } = startJobs()
  const tall = sharp({ create: { ...large, width: 20, height: 16_000, noise } })
  const path = writeInput(await tall.jpeg({ quality: 50 }).toBuffer())
  const preview = await findPreview(jobs, { instance: 'one', path, deadline: never })
  expect(preview).toMatchObject({ width: 20, height: 16_000 })
  expect((await sharp(preview?.jpegThumbnail).metadata()).height).toBeLessThanOrEqual(512)
})

test('an instance that has used its minute is refused before its file is transferred', async () => {
  const jobs = new MediaJobs(createSilentLog(), undefined, { costPerMinute: 1 })
  onTestFinished(() => jobs.stop())
  const request = { instance: 'one', kind: 'ptt', deadline: never } as const
  const open = async () => new Blob([Uint8Array.from(createWav(1))]).stream()
  const first = await prepareFile(jobs, request, open)
  if (first.kind === 'done') await first.result.remove()
  let opened = 0
  const refused = await prepareFile(jobs, request, async () => {
    opened += 1
    return open()
  })
  expect([first.kind, refused, opened]).toMatchObject(['done', { fault: 'quota_reached' }, 0])
})

/** The head says that a moment takes so many bytes, with one channel of one byte. */
function createWideWav(bytes: number): Buffer {
  const wav = Buffer.concat([createWav(0, 4000), Buffer.alloc(bytes, 128)])
  wav.writeUInt16LE(65_535, 32)
  wav.writeUInt16LE(8, 34)
  wav.writeUInt32LE(bytes, 40)
  return wav
}

test('a WAV whose head says that all of it is one moment takes at most 150 MiB', async () => {
  const { convert } = startJobs()
  expect(await convert('voice', createWav(1))).toMatchObject({ kind: 'done' })
  const bytes = createWideWav(40 * MIB)
  for (const task of ['voice', 'mp3'] as const)
    expect((await measureGrowth(() => convert(task, bytes))) / MIB).toBeLessThan(150)
})

/** The film, with another number of four bytes at a place behind the name of a box. */
function changeFilm(box: string, place: number, value: number): Buffer {
  const film = readMediaFile('film.mp4')
  film.writeUInt32BE(value, film.indexOf(box) + 4 + place)
  return film
}

test.each([
  ['width', changeFilm('tkhd', 76, 0xffff_0000)],
  ['length', changeFilm('mvhd', 16, 0xffff_ffff)],
])(
  'a film whose head says an absurd %s says to phones what one may have, or is refused',
  async (_, bytes) => {
    const { convert } = startJobs()
    const outcome = await convert('video', bytes)
    const { seconds = 0, width = 0 } = outcome.kind === 'done' ? outcome.result.details : {}
    expect([seconds <= 86_400, width <= 65_535]).toEqual([true, true])
  },
)

const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const

/** A GIF of 190 frames, by turns two pictures of noise: no quality makes it small, and each takes seconds. */
async function drawEndless(): Promise<Buffer> {
  const side = 512
  const both = sharp({ create: { ...large, width: side, height: 2 * side, noise } })
  const pixels = await both.raw().toBuffer()
  const raw = { width: side, height: 2 * side, channels: 3, pageHeight: side } as const
  const gif = await sharp(pixels, { raw })
    .gif({ effort: 1, delay: [50, 50] })
    .toBuffer()
  const firstFrame = gif.indexOf(Buffer.of(0x21, 0xf9, 0x04))
  const [head, frames, end] = [gif.subarray(0, firstFrame), gif.subarray(firstFrame, -1), gif.subarray(-1)]
  return Buffer.concat([head, ...Array.from({ length: 95 }, () => frames), end])
}

test('a sticker that would take for ever ends, and a preview of the same instance does not wait for it', async () => {
  const { jobs, convert } = startJobs()
  const photograph = writeInput(await drawSmall().jpeg().toBuffer())
  const ends: string[] = []
  const sticker = convert('sticker', await drawEndless())
  void sticker.then(() => ends.push('sticker'))
  await findPreview(jobs, { instance: 'one', path: photograph, deadline: never })
  ends.push('preview')
  expect(await sticker).toMatchObject({ kind: 'refused' })
  expect(ends).toEqual(['preview', 'sticker'])
}, 60_000)

test('a sound that is larger than any caller may send is not read to its end for its MP3', async () => {
  const { jobs } = startJobs()
  let mebibytes = 0
  const endless = Readable.from(
    (function* () {
      for (; mebibytes < 250; mebibytes += 1) yield Buffer.alloc(MIB)
    })(),
  )
  expect(await convertToMp3(jobs, { instance: 'one', file: endless, deadline: never })).toMatchObject({
    kind: 'refused',
    fault: 'media_unavailable',
  })
  expect(mebibytes).toBeLessThan(110)
})

test.each([
  ['breaks', 'SIGSEGV', 'unsupported_media_type'],
  ['is killed by someone else', 'SIGKILL', 'media_unavailable'],
] as const)('a decoder that %s refuses its file for that reason', async (_, signal, fault) => {
  const { jobs, convert } = startJobs()
  const outcome = convert('voice', createWav(120))
  const [pid] = await until(
    () => jobs.turns.sounds.underWay === 1 && listDecoders().length === 1 && listDecoders(),
  )
  process.kill(pid as number, signal)
  expect(await outcome).toMatchObject({ kind: 'refused', fault })
})

const listOpenFiles = (pid = 0): string[] =>
  readdirSync(`/proc/${pid}/fd`)
    .map((name) => readDescriptor(`/proc/${pid}/fd/${name}`))
    .filter((path) => path.startsWith('/') && path !== '/dev/null')

function readDescriptor(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // It was closed meanwhile.
    return ''
  }
}

test('a decoder has no file of its host open, and nothing of its environment', async () => {
  const open = join(folder, 'secret')
  writeFileSync(open, 'secret')
  const descriptor = openSync(open, 'r')
  onTestFinished(() => closeSync(descriptor))
  const { convert } = startJobs()
  await convert('voice', createWav(1))
  const [pid] = listDecoders()
  // Its last input may be closed a moment after its answer.
  await until(() => listOpenFiles(pid).length === 0)
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((line) => line.split('=')[0])
  const known = [
    '',
    'PWD',
    'TMPDIR',
    'MALLOC_ARENA_MAX',
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
  ]
  expect(names.filter((name = '') => !known.includes(name))).toEqual([])
})

/** A host that has nothing but conversions: it writes a line when each has begun. */
function startConversions(host: string): ChildProcess {
  const media = join(import.meta.dirname, '..', '..', 'session-host', 'media', 'media-jobs.ts')
  const log = join(import.meta.dirname, '..', '..', 'session-host', 'process', 'host-log.ts')
  const script = `const { MediaJobs } = await import(${JSON.stringify(media)})
    const { createSilentLog } = await import(${JSON.stringify(log)})
    const jobs = new MediaJobs(createSilentLog())
    const run = (input) => jobs.runJob('one', { task: 'voice', input, output: input + '-out' }, new AbortController().signal)
    ${host}
    console.log('ready')
    setInterval(() => undefined, 1000)`
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test.each([
  ['idle', (path: string) => `await run(${JSON.stringify(path)})`, createWav(1)],
  ['in the middle of a conversion', (path: string) => `void run(${JSON.stringify(path)})`, createWav(600)],
])('a decoder that is %s ends with a host that is killed', async (_, act, bytes) => {
  const host = startConversions(act(writeInput(bytes)))
  await once(createInterface(host.stdout as Readable), 'line')
  const [pid = 0] = await until(() => {
    const decoders = listDecoders(host.pid)
    return decoders.length === 1 && decoders
  })
  host.kill('SIGKILL')
  await until(() => !isAlive(pid))
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
