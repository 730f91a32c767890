// The machine's own ffmpeg, where the operator names it: for sounds that the packages cannot decode, and for pictures of videos.
//
// It gets a stranger's bytes by its standard input and may open nothing else: no file, no address, no shell.

import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { throwStoreFault } from '../process/store-fault.ts'
import { limitBytes } from './limit-bytes.ts'
import { type KernelLimits, spawnLimited } from './limited-process.ts'
import { OutOfTime, UnsupportedFile } from './media-job.ts'

const TIMEOUT_MS = 15 * SECOND
const MIB = 1024 * 1024
/** About 40 minutes. */
const MAX_SOUND_BYTES = 110 * MIB
const MAX_PICTURE_BYTES = 64 * 1024
/** Of a film it gets one frame, and it writes to its standard output only. */
const LIMITS: KernelLimits = { dataBytes: 256 * MIB, cpuSeconds: 20, fileBytes: MIB }
const THUMBNAIL_WIDTH = 72

const INPUT = [
  '-hide_banner',
  '-loglevel',
  'error',
  '-nostdin',
  '-protocol_whitelist',
  'pipe',
  '-threads',
  '1',
]
const SOUND = ['-map', '0:a:0', '-ac', '1', '-ar', '24000', '-c:a', 'pcm_s16le', '-f', 'wav', 'pipe:1']
const PICTURE = [
  '-map',
  '0:v:0',
  '-frames:v',
  '1',
  '-vf',
  `scale=${THUMBNAIL_WIDTH}:-2`,
  '-c:v',
  'mjpeg',
  '-f',
  'image2pipe',
  'pipe:1',
]

export class Ffmpeg {
  readonly #program: string
  readonly #timeoutMs: number

  /** `program`: its path. */
  constructor(program: string, timeoutMs = TIMEOUT_MS) {
    this.#program = program
    this.#timeoutMs = timeoutMs
  }

  /** Writes the sound of `input` to `output`, as a WAV file. Throws UnsupportedFile if there is none, OutOfTime if it takes too long. */
  async extractSound(input: string, output: string): Promise<void> {
    await this.#run(input, SOUND, (stdout) =>
      pipeline(stdout, limitBytes(MAX_SOUND_BYTES), createWriteStream(output)),
    )
  }

  /** A small JPEG of the first frame; undefined if it does not decode in time. */
  async drawThumbnail(input: string): Promise<Uint8Array | undefined> {
    const chunks: Buffer[] = []
    const collect = (stdout: Readable) =>
      pipeline(stdout, limitBytes(MAX_PICTURE_BYTES), async (limited: AsyncIterable<Buffer>) => {
        for await (const chunk of limited) chunks.push(chunk)
      })
    const drawn = await this.#run(input, PICTURE, collect).then(
      () => chunks.length > 0,
      () => false,
    )
    return drawn ? new Uint8Array(Buffer.concat(chunks)) : undefined
  }

  async #run(
    input: string,
    output: string[],
    readOutput: (stdout: Readable) => Promise<void>,
  ): Promise<void> {
    const command = [this.#program, ...INPUT, '-i', 'pipe:0', ...output] as const
    const child = spawnLimited(command, LIMITS, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, this.#timeoutMs)
    const ended = new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false))
      child.once('close', (code) => resolve(code === 0))
    })
    // It may have seen enough before the end of its input.
    const fed = pipeline(createReadStream(input), child.stdin).catch(() => undefined)
    const failure = await readOutput(child.stdout).then(
      () => undefined,
      (error: Error) => error,
    )
    if (failure) child.kill('SIGKILL')
    await fed
    const isComplete = (await ended) && !failure
    clearTimeout(timer)
    if (isComplete) return
    throwStoreFault(failure)
    if (isLate) throw new OutOfTime('ffmpeg took too long')
    throw new UnsupportedFile('has a sound that the gateway cannot decode')
  }
}
