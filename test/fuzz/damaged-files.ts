// Makes up damaged files of every kind, and has them converted. FUZZ_SEED repeats a run.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaTask } from '@msgnet/session-host/media/media-job.ts'
import { MediaJobs } from '@msgnet/session-host/media/media-jobs.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import sharp from 'sharp'
import { afterAll, expect } from 'vitest'
import { createFlac } from '../flac-file.ts'
import { createWav } from '../media-files.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 1)
const INSTANCES = 4
/** One after another so often there is a line that says how far it is. */
const PROGRESS_EVERY = 2000
const KNOWN_FAULTS = [
  'unsupported_media_type',
  'not_an_image',
  'image_too_large',
  'quota_reached',
  'media_unavailable',
]

const folder = mkdtempSync(join(tmpdir(), 'fuzz-files-'))
const unlimited = { costPerMinute: Number.MAX_SAFE_INTEGER, jobMs: 8000 }
const jobs = new MediaJobs(createSilentLog(), undefined, unlimited)
afterAll(() => {
  jobs.stop()
  rmSync(folder, { recursive: true, force: true })
})

const SOUND_TASKS: MediaTask[] = ['voice', 'audio', 'video', 'mp3']
const PICTURE_TASKS: MediaTask[] = ['sticker', 'preview', 'picture']

interface Seed {
  bytes: Buffer
  tasks: MediaTask[]
}

async function loadSeeds(): Promise<Seed[]> {
  const place = join(import.meta.dirname, '..', 'media-files')
  // An hour of sound takes all its time, damaged or not.
  const names = readdirSync(place).filter((name) => !/2h|\.md$/.test(name))
  const sounds = names.map((name) => readFileSync(join(place, name)))
  const red = sharp({ create: { width: 96, height: 64, channels: 3, background: 'red' } })
  const formats = ['jpeg', 'png', 'gif', 'webp'] as const
  const pictures = await Promise.all(formats.map((format) => red.clone().toFormat(format).toBuffer()))
  return [
    ...[...sounds, createWav(1, 8000), createFlac({ rate: 8000, samples: 200_000 })].map((bytes) => ({
      bytes,
      tasks: SOUND_TASKS,
    })),
    ...pictures.map((bytes) => ({ bytes, tasks: PICTURE_TASKS })),
  ]
}

/** Mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const EXTREMES = [0, 1, 0x7f, 0x80, 0xff]

/** A few bytes are others, most of them in the head, which says what is allocated; or it is cut off, or a part comes twice. */
function damage(bytes: Buffer, random: (below: number) => number): Buffer {
  const damaged = Buffer.from(bytes)
  for (let left = 1 + random(8); left > 0; left -= 1) {
    const within = random(3) > 0 ? Math.min(damaged.length, 200) : damaged.length
    damaged[random(within)] = random(2) > 0 ? random(256) : (EXTREMES[random(EXTREMES.length)] ?? 0)
  }
  const kind = random(10)
  if (kind === 0) return damaged.subarray(0, 1 + random(damaged.length))
  if (kind === 1) return Buffer.concat([damaged, damaged.subarray(random(damaged.length))])
  return damaged
}

/** Each of so many is converted or refused. Throws if one of them ended otherwise. */
export async function convertDamagedFiles(files: number): Promise<void> {
  const seeds = await loadSeeds()
  const random = createRandom(SEED)
  const outcomes: Record<string, number> = {}
  let next = 0
  async function convertNext(instance: string): Promise<void> {
    while (next < files) {
      const place = next++
      const { bytes, tasks } = seeds[place % seeds.length] as Seed
      const task = tasks[random(tasks.length)] as MediaTask
      const input = join(folder, String(place))
      const output = `${input}-out`
      writeFileSync(input, damage(bytes, random))
      const outcome = await jobs.runJob(instance, { task, input, output }, AbortSignal.timeout(60_000))
      await Promise.all([input, output].map((path) => rm(path, { force: true })))
      const name = outcome.kind === 'refused' ? outcome.fault : outcome.kind
      outcomes[name] = (outcomes[name] ?? 0) + 1
      if (place > 0 && place % PROGRESS_EVERY === 0)
        process.stdout.write(`${place} ${JSON.stringify(outcomes)}\n`)
    }
  }
  await Promise.all(Array.from({ length: INSTANCES }, (_, at) => convertNext(`instance ${at}`)))
  const known = ['done', ...KNOWN_FAULTS]
  expect(Object.keys(outcomes).filter((name) => !known.includes(name))).toEqual([])
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(files)
  process.stdout.write(`${files} files: ${JSON.stringify(outcomes)}\n`)
}
