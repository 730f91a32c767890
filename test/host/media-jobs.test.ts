// The processes that work on files: their limits of time, number and waiting, and the machine's ffmpeg beside them.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PoolLimits } from '@msgnet/session-host/media/decoder-pool.ts'
import { Ffmpeg } from '@msgnet/session-host/media/ffmpeg.ts'
import { MediaJobs } from '@msgnet/session-host/media/media-jobs.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import sharp from 'sharp'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createWav, findMediaFile, MEDIA_SECONDS } from '../media-files.ts'
import { canRun } from '../optional-programs.ts'
import { until } from '../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'media-jobs-'))
afterAll(() => rmSync(folder, { recursive: true }))
const never = new AbortController().signal
let made = 0

/** Jobs with one file each: a tone of so many seconds. */
function startJobs(limits: Partial<PoolLimits> = {}) {
  const jobs = new MediaJobs(createSilentLog(), undefined, limits)
  onTestFinished(() => jobs.stop())
  return {
    jobs,
    convert(seconds: number, deadline = never, instance = 'one') {
      made += 1
      const input = join(folder, `${made}.wav`)
      writeFileSync(input, createWav(seconds, 8000))
      return jobs.runJob(instance, { task: 'voice', input, output: `${input}.ogg` }, deadline)
    },
  }
}

test('a job over its time is refused and may be tried again, its process is killed, and the next job has a new one', async () => {
  const { convert } = startJobs({ maxUnderWay: 1, jobMs: 6000 })
  // Half an hour of sound takes longer, whatever the machine.
  const long = convert(1800)
  const loop = await measureLongestTurn(long)
  expect(await long).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
  expect(loop).toBeLessThan(500)
  // On a busy machine the start of a process may take longer than a job may.
  const next = await until(async () => {
    const outcome = await convert(1)
    return outcome.kind === 'done' && outcome
  })
  expect(next).toMatchObject({ kind: 'done', result: { details: { seconds: 1 } } })
})

test('a job ends with the time of its request', async () => {
  const { convert } = startJobs({ maxUnderWay: 1 })
  expect(await convert(600, AbortSignal.timeout(500))).toMatchObject({
    kind: 'refused',
    fault: 'quota_reached',
  })
  expect(await convert(1)).toMatchObject({ kind: 'done', result: { details: { seconds: 1 } } })
})

test('more files than may wait are refused at once, of one instance and of all', async () => {
  const { convert } = startJobs({ maxUnderWay: 1, maxWaiting: 3, maxWaitingOfOne: 2 })
  const running = [convert(60), convert(1), convert(1)]
  expect(await convert(1)).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
  running.push(convert(1, never, 'two'))
  expect(await convert(1, never, 'three')).toMatchObject({ kind: 'refused', fault: 'quota_reached' })
  for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ kind: 'done' })
})

/** Milliseconds of processor time of this thread in the longest turn of its event loop during the work. */
async function measureLongestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0
  const readTime = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = readTime()
  const timer = setInterval(() => {
    const now = readTime()
    longest = Math.max(longest, now - last)
    last = now
  }, 5)
  await work
  clearInterval(timer)
  return longest
}

/** A program in place of ffmpeg. */
function writeProgram(script: string): string {
  made += 1
  const path = join(folder, `program-${made}`)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test('ffmpeg gets the file by its standard input only, without a shell and without an environment', async () => {
  const [input, output, seen] = ['in', 'out', 'seen'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(input, 'a sound; $(touch nothing)')
  const program = writeProgram(`echo "$@" > ${seen}; /usr/bin/env >> ${seen}; /bin/cat`)
  await new Ffmpeg(program).extractSound(input, output)
  expect(readFileSync(output, 'utf8')).toBe('a sound; $(touch nothing)')
  const call = readFileSync(seen, 'utf8')
  expect(call).toContain('-protocol_whitelist pipe')
  expect(call).toContain('-i pipe:0')
  expect(call).not.toContain(`${folder}/in`)
  expect(call).not.toMatch(/^HOME=/m)
})

test('an ffmpeg that hangs is killed, and one that fails or writes without end is given up', async () => {
  const [input, output, pidFile] = ['in-2', 'out-2', 'pid'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(input, 'x')
  const hanging = new Ffmpeg(writeProgram(`echo $$ > ${pidFile}; exec /bin/sleep 60`), 500)
  await expect(hanging.extractSound(input, output)).rejects.toThrow('took too long')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  await until(() => !isAlive(pid))
  await expect(new Ffmpeg(writeProgram('exit 1')).extractSound(input, output)).rejects.toThrow(
    'cannot decode',
  )
  expect(await new Ffmpeg(writeProgram('exec /usr/bin/yes')).drawThumbnail(input)).toBeUndefined()
  expect(await new Ffmpeg(join(folder, 'nothing')).drawThumbnail(input)).toBeUndefined()
})

const ffmpeg = (process.env.PATH ?? '')
  .split(':')
  .map((place) => join(place, 'ffmpeg'))
  .find((path) => canRun(path, ['-version']))

test.skipIf(!ffmpeg)(
  "the machine's ffmpeg draws the first picture of a film, and reads sounds of its own",
  async () => {
    const { jobs } = startJobs()
    const output = join(folder, 'poster')
    const job = { task: 'video', input: findMediaFile('film.mp4'), output, poster: true } as const
    expect(await jobs.runJob('one', job, never)).toMatchObject({ kind: 'done', result: { hasPoster: true } })
    const real = new Ffmpeg(ffmpeg ?? '')
    const picture = await real.drawThumbnail(output)
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 72, height: 48 })
    const sound = join(folder, 'sound')
    await real.extractSound(findMediaFile('voice.webm'), sound)
    const voice = { task: 'voice', input: sound, output: join(folder, 'voice') } as const
    const outcome = await jobs.runJob('one', voice, never)
    expect(outcome).toMatchObject({ kind: 'done', result: { details: { seconds: MEDIA_SECONDS } } })
  },
)

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
