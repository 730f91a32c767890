// A process that decodes files, as the host sees it: it gets one job at a time, and is killed at its limits of time and memory.
//
// Decoders read bytes that strangers chose. A thread would share the host's memory and its fate.

import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { MIB } from '@msgnet/shared/contract/limits.ts'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import type { DecoderMessage, MediaReply } from './decoder-main.ts'
import { type KernelLimits, spawnLimited } from './limited-process.ts'
import { DECODED, type MediaJob, OutOfTime } from './media-job.ts'

export interface DecoderLimits {
  /** Resident memory. */
  memoryBytes: number
  /** Of one job. */
  jobMs: number
  /** Processor time after which a job ends of which nothing was decoded since: its file is made to be read for ever. */
  silentMs: number
}

/** The decoder took more memory than it may: the file is made for that, or too large. */
export class OutOfMemory extends Error {}

/** The decoder broke on the file. */
export class DecoderBroke extends Error {}

/** The decoder went on without decoding anything. */
export class NothingDecoded extends Error {}

const WATCH_MS = 25
const HEAP_MB = 128
/** V8 reserves over half a GiB of data of which it uses little, and as much again for the thread of the MP3 encoder. */
const KERNEL_LIMITS: KernelLimits = { dataBytes: 2048 * MIB, cpuSeconds: 120, fileBytes: 256 * MIB }
const MAIN = locateProgram('./decoder-main.ts', import.meta.url)
const QUICK_IMPORTS = locateProgram('../../shared/node/quick-imports.ts', import.meta.url)

export class Decoder {
  readonly #limits: DecoderLimits
  readonly #child: ChildProcess
  /** Resolves with the reason. */
  readonly #exited: Promise<Error>
  #hasExited = false
  #busyMs = 0
  /** What the process had used at the end of its last job, in milliseconds: its start is part of the first. */
  #usedMs = 0

  constructor(limits: DecoderLimits) {
    this.#limits = limits
    this.#child = spawnDecoder()
    const { promise, resolve } = Promise.withResolvers<Error>()
    this.#exited = promise
    const end = (reason: Error) => {
      this.#hasExited = true
      resolve(reason)
    }
    this.#child.once('error', end)
    this.#child.once('exit', (code, signal) => end(describeExit(code, signal)))
    // It must not keep a host alive that stops.
    this.#child.unref()
    this.#child.channel?.unref()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get hasExited(): boolean {
    return this.#hasExited
  }

  /** Milliseconds of processor time of all its jobs: those that wait for a processor beside other work cost their instance nothing. */
  get busyMs(): number {
    return this.#busyMs
  }

  /** Rejects if the process ends before the job, by a limit or otherwise: it is of no more use then. */
  async runJob(job: MediaJob, deadline: AbortSignal): Promise<MediaReply> {
    const beganAt = performance.now()
    const usedBefore = this.#usedMs
    const { promise, resolve, reject } = Promise.withResolvers<MediaReply>()
    const abort = () => reject(new OutOfTime('the job took too long'))
    const timer = setTimeout(abort, this.#limits.jobMs)
    let heardAt = usedBefore
    const listen = (message: DecoderMessage) => {
      if (message !== DECODED) resolve(message)
      else heardAt = readProcessorTime(this.#child.pid) ?? heardAt
    }
    const watch = setInterval(() => {
      this.#checkMemory(reject)
      this.#checkSilence(heardAt, reject)
    }, WATCH_MS)
    deadline.addEventListener('abort', abort, { once: true })
    this.#child.on('message', listen)
    void this.#exited.then(reject)
    if (deadline.aborted) abort()
    // One that could not be started has no channel: its end is the reply.
    else if (this.#child.connected) this.#child.send(job, (error) => error && reject(error))
    try {
      return await promise
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      deadline.removeEventListener('abort', abort)
      this.#child.off('message', listen)
      // One that has ended by itself has no reading any more, and its job had a processor until then.
      const used = readProcessorTime(this.#child.pid)
      this.#busyMs += used === undefined ? performance.now() - beganAt : used - usedBefore
      this.#usedMs = used ?? usedBefore
    }
  }

  /** Resident memory in bytes; 0 where the system does not tell, or the process has ended. */
  readMemory(): number {
    return readMemory(this.#child.pid)
  }

  /** Also in the middle of a loop that does not end. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #checkMemory(reject: (error: Error) => void): void {
    const { memoryBytes } = this.#limits
    if (this.readMemory() > memoryBytes) reject(new OutOfMemory('the job took too much memory'))
  }

  #checkSilence(heardAt: number, reject: (error: Error) => void): void {
    const silentMs = (readProcessorTime(this.#child.pid) ?? heardAt) - heardAt
    if (silentMs > this.#limits.silentMs) reject(new NothingDecoded('nothing came of the file'))
  }
}

/** What breaks is ended by a signal of its own, or by its code; who ends it from outside does not mean the file. */
function describeExit(code: number | null, signal: NodeJS.Signals | null): Error {
  const isFromOutside = signal === 'SIGKILL' || signal === 'SIGTERM'
  const reason = `the decoder ended: ${signal ?? `code ${code}`}`
  return isFromOutside ? new Error(reason) : new DecoderBroke(reason)
}

function spawnDecoder(): ChildProcess {
  const args = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=4', '--import', QUICK_IMPORTS, MAIN]
  return spawnLimited([process.execPath, ...args], KERNEL_LIMITS, {
    // What the packages print about a file is for their developers.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { TMPDIR: process.env.TMPDIR ?? '', MALLOC_ARENA_MAX: '2' },
    serialization: 'advanced',
    detached: true,
  })
}

function readMemory(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0
  try {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The kernel's unit of the times that it tells of a process, on every architecture that Node runs on. */
const TICK_MS = 10

/** Milliseconds of all threads of a process; undefined where the system does not tell, or the process has ended. */
function readProcessorTime(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, which may have spaces, ends with the last parenthesis; the 14th and 15th field of all are its times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return undefined
  }
}
