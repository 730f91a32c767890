// The processes that decode files: what strangers and customers put into a file costs no session, and no neighbour its turn.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PoolLimits } from '@msgnet/session-host/media/decoder-pool.ts'
import type { MediaResult, MediaTask } from '@msgnet/session-host/media/media-job.ts'
import { MediaJobs } from '@msgnet/session-host/media/media-jobs.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import sharp from 'sharp'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createFlac } from '../flac-file.ts'
import { createWav, findMediaFile, readMediaFile } from '../media-files.ts'
import { until } from '../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'decoders-'))
afterAll(() => rmSync(folder, { recursive: true }))
const never = new AbortController().signal
const MIB = 1024 * 1024
let made = 0

function startJobs(limits: Partial<PoolLimits> = {}) {
  const jobs = new MediaJobs(createSilentLog(), undefined, limits)
  onTestFinished(() => jobs.stop())
  const convert = (task: MediaTask, bytes: Buffer, instance = 'one') => {
    made += 1
    const input = join(folder, `${made}`)
    writeFileSync(input, bytes)
    return jobs.runJob(instance, { task, input, output: `${input}-out` }, never)
  }
  return { jobs, convert }
}

/** The ids of the decoders that this process has started. */
function listDecoders(): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ')
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

const bombs: [string, Buffer][] = [
  ['a FLAC that says 1 Hz', createFlac({ rate: 1, samples: 3600 })],
  ['a WAV that says 1 Hz', createWav(3500, 1)],
  ['a WAV that says 0 Hz', setRate(createWav(1), 0)],
  ['a WAV that says 4,000,000,000 Hz', setRate(createWav(1), 4_000_000_000)],
  ['a WAV of 60,000 channels', setChannels(createWav(1), 60_000)],
  ['a WAV that says it has 4 GB', setLength(createWav(1), 0xffff_fff0)],
]

function setRate(wav: Buffer, rate: number): Buffer {
  wav.writeUInt32LE(rate, 24)
  return wav
}

function setChannels(wav: Buffer, channels: number): Buffer {
  wav.writeUInt16LE(channels, 22)
  return wav
}

function setLength(wav: Buffer, length: number): Buffer {
  wav.writeUInt32LE(length, 40)
  return wav
}

test.each(bombs)('%s takes no more memory than another sound', async (_, bytes) => {
  const { convert } = startJobs()
  expect(await convert('voice', createWav(1))).toMatchObject({ kind: 'done' })
  for (const task of ['voice', 'mp3', 'audio'] as const) {
    const growth = await measureGrowth(() => convert(task, bytes))
    expect(growth / MIB).toBeLessThan(150)
  }
  expect(await convert('voice', createWav(1))).toMatchObject({ kind: 'done' })
})

test('a sound that waits for a processor beside other work costs its instance only what it had of one', async () => {
  const { jobs, convert } = startJobs()
  const input = join(folder, 'waits')
  writeFileSync(input, createWav(600))
  const deadline = new AbortController()
  const outcome = jobs.runJob('one', { task: 'voice', input, output: `${input}-out` }, deadline.signal)
  const [pid] = await until(() => listDecoders().length === 1 && listDecoders())
  process.kill(pid as number, 'SIGSTOP')
  setTimeout(() => deadline.abort(), 5000)
  expect(await outcome).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
  expect(jobs.turns.sounds.cost).toBeLessThan(2500)
  const before = jobs.turns.sounds.cost
  expect(await convert('voice', createWav(1))).toMatchObject({ kind: 'done' })
  expect(jobs.turns.sounds.cost).toBeGreaterThan(before)
})

test('sounds are taken from 4,000 to 192,000 samples a second', async () => {
  const { convert } = startJobs()
  for (const rate of [4000, 192_000])
    expect(await convert('voice', createWav(1, rate))).toMatchObject({
      kind: 'done',
      result: { details: { seconds: 1 } },
    })
  for (const rate of [3999, 192_001])
    expect(await convert('voice', createWav(1, rate))).toMatchObject({
      kind: 'refused',
      fault: 'unsupported_media_type',
      message: expect.stringContaining('sample rate'),
    })
})

test('what earlier files left in a decoder is not held against the next one', async () => {
  // Each of them alone needs far less, and all of them together more.
  const { convert } = startJobs({ memoryBytes: 170 * MIB, costPerMinute: 1e9 })
  const names = [
    'voice.mp3',
    'voice.m4a',
    'voice.flac',
    'voice-stereo-vorbis.ogg',
    'voice.webm',
    'tone-13s.m4a',
  ]
  for (const name of names)
    expect(await convert('voice', readMediaFile(name))).toMatchObject({ kind: 'done' })
  for (const task of ['mp3', 'voice', 'mp3'] as const)
    expect(await convert(task, readMediaFile('voice.ogg'))).toMatchObject({ kind: 'done' })
})

test('a decoder over its memory is killed, says so, and the next file has another', async () => {
  const { convert } = startJobs({ memoryBytes: 150 * MIB })
  const width = 6500
  const create = { width, height: width, channels: 3, background: 'red' } as const
  const photograph = await sharp({ create }).jpeg({ progressive: true, quality: 50 }).toBuffer()
  expect(await convert('picture', photograph)).toMatchObject({
    kind: 'refused',
    fault: 'unsupported_media_type',
    message: 'file could not be converted within the limits.',
  })
  const small = await sharp(photograph).resize(64).jpeg().toBuffer()
  expect(await convert('picture', small)).toMatchObject({ kind: 'done' })
})

const strangeLengths: [string, Buffer][] = [
  ['a WAV of frames without a byte', setFrameBytes(createWav(1), 0)],
  ['an Ogg file that ends in a million years', setPositions(readMediaFile('voice.ogg'), 2n ** 62n)],
  ['an Ogg file that ends before it begins', setPositions(readMediaFile('voice.ogg'), -5n)],
]

function setFrameBytes(wav: Buffer, bytes: number): Buffer {
  wav.writeUInt16LE(bytes, 32)
  return wav
}

/** Each page of sound says at which sample it ends, and has a checksum (RFC 3533, 6). */
function setPositions(ogg: Buffer, position: bigint): Buffer {
  for (let at = ogg.indexOf('OggS'); at >= 0; at = ogg.indexOf('OggS', at + 4)) {
    const next = ogg.indexOf('OggS', at + 4)
    const page = ogg.subarray(at, next < 0 ? undefined : next)
    if (page.readBigInt64LE(6) !== 0n) page.writeBigInt64LE(position, 6)
    page.writeUInt32LE(0, 22)
    page.writeUInt32LE(computeSum(page), 22)
  }
  return ogg
}

function computeSum(page: Buffer): number {
  let sum = 0
  for (const byte of page) {
    sum ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1
  }
  return sum >>> 0
}

test.each(strangeLengths)('%s has a length that phones can read, or is refused', async (_, bytes) => {
  const { convert } = startJobs()
  const outcome = await convert('audio', bytes)
  if (outcome.kind === 'refused') return expect(outcome.fault).toBe('unsupported_media_type')
  const { seconds } = (outcome as { result: MediaResult }).result.details
  expect(seconds).toSatisfy((value) => Number.isInteger(value) && value >= 1 && value < 2 ** 32)
})

test('decoders killed in the middle of ten conversions lose only those that they have', async () => {
  const { jobs, convert } = startJobs()
  // The first two are under way, and still are when they are killed.
  const [long, short] = [createWav(120), createWav(5)]
  const all = Array.from({ length: 10 }, (_, at) => convert('voice', at < 2 ? long : short, `instance ${at}`))
  const victims = await until(() => {
    const decoders = listDecoders()
    return decoders.length === 2 && jobs.turns.sounds.underWay === 2 && decoders
  })
  for (const pid of victims) process.kill(pid, 'SIGKILL')
  const outcomes = await Promise.all(all)
  const lost = outcomes.filter(({ kind }) => kind === 'refused')
  expect(lost).toHaveLength(2)
  for (const outcome of lost)
    expect(outcome).toMatchObject({
      fault: 'media_unavailable',
      message: 'The conversion of file was interrupted. Try it again.',
    })
  expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(8)
})

test("eight long files of one instance wait for each other, and a neighbour's for none of them", async () => {
  const { jobs, convert } = startJobs()
  const ends: string[] = []
  const note = (name: string) => (outcome: { kind: string }) => ends.push(`${name} ${outcome.kind}`)
  const input = join(folder, 'loud')
  writeFileSync(input, createWav(60))
  const rest = new AbortController()
  const loud = Array.from({ length: 8 }, (_, n) =>
    jobs.runJob('loud', { task: 'voice', input, output: `${input}-${n}` }, rest.signal).then(note('loud')),
  )
  const quiet = await convert('voice', createWav(1), 'quiet').then(note('quiet'))
  expect(ends[quiet - 1]).toBe('quiet done')
  expect(quiet).toBeLessThanOrEqual(2)
  // Nothing more is to be learnt from those that still wait.
  rest.abort()
  await Promise.all(loud)
})

test('an instance that has used its minute of conversions is refused with the time to wait, and its neighbour is not', async () => {
  const { convert } = startJobs({ costPerMinute: 1 })
  expect(await convert('voice', createWav(1))).toMatchObject({ kind: 'done' })
  expect(await convert('voice', createWav(1))).toMatchObject({
    kind: 'refused',
    fault: 'quota_reached',
    waitMs: expect.any(Number),
  })
  expect(await convert('voice', createWav(1), 'neighbour')).toMatchObject({ kind: 'done' })
})

test('decoders have nothing of the environment of their host, and a lower priority', async () => {
  process.env.SOMETHING_SECRET = 'secret'
  onTestFinished(() => void delete process.env.SOMETHING_SECRET)
  const { convert } = startJobs()
  await convert('voice', createWav(1))
  const [pid] = listDecoders()
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('secret')
  const nice = Number(execFileSync('ps', ['-o', 'ni=', '-p', String(pid)], { encoding: 'utf8' }))
  expect(nice).toBeGreaterThan(0)
})

const AUTOGROUPS = '/proc/sys/kernel/sched_autogroup_enabled'
test.skipIf(!existsSync(AUTOGROUPS))(
  'the session of a decoder has a lower priority too, where the kernel shares between sessions',
  async () => {
    const ofHost = readFileSync('/proc/self/autogroup', 'utf8')
    const { convert } = startJobs()
    await convert('voice', createWav(1))
    const [pid] = listDecoders()
    expect(readFileSync(`/proc/${pid}/autogroup`, 'utf8')).toMatch(/ nice [1-9]/)
    expect(readFileSync('/proc/self/autogroup', 'utf8')).toBe(ofHost)
  },
)

test('files of every kind that we convert are converted in decoders', async () => {
  const { convert } = startJobs()
  const names = ['voice.mp3', 'voice.m4a', 'voice.flac', 'voice.webm', 'voice-stereo-vorbis.ogg']
  for (const name of names)
    expect([name, await convert('voice', readMediaFile(name))]).toMatchObject([
      name,
      { kind: 'done', result: { details: { seconds: 3 } } },
    ])
  expect(await convert('video', readFileSync(findMediaFile('film.mp4')))).toMatchObject({ kind: 'done' })
  expect(await convert('mp3', readMediaFile('voice.ogg'))).toMatchObject({ kind: 'done' })
})

test.each(['voice', 'audio', 'video', 'mp3'] as const)(
  'a playlist is no %s: it could name a neighbouring file, and what is read of that would be sent',
  async (task) => {
    const { convert } = startJobs()
    writeFileSync(join(folder, 'neighbour.mp3'), readMediaFile('voice.mp3'))
    for (const path of [join(folder, 'neighbour.mp3'), 'neighbour.mp3']) {
      expect(await convert(task, createPlaylist(`#EXTINF:13,\n${path}`))).toMatchObject(noSound)
      const list = createPlaylist(`#EXTINF:13,\n${path}`).toString('base64')
      const master = `#EXT-X-STREAM-INF:BANDWIDTH=64000\ndata:application/vnd.apple.mpegurl;base64,${list}`
      expect(await convert(task, createPlaylist(master))).toMatchObject(noSound)
    }
  },
)

const noSound = { kind: 'refused', fault: 'unsupported_media_type' }

const createPlaylist = (lines: string): Buffer =>
  Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXT-X-PLAYLIST-TYPE:VOD\n${lines}\n#EXT-X-ENDLIST\n`)
