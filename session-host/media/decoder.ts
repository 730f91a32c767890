// A process that decodes files, as the host sees it: it gets one job at a time, and is killed at its limits of time and memory.
//
// Decoders read bytes that strangers chose. A thread would share the host's memory and its fate.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { MediaReply } from './decoder-main.ts'
import { type MediaJob, OutOfTime } from './media-job.ts'

export interface DecoderLimits {
  /** Resident memory. */
  memoryBytes: number
  /** Of one job. */
  jobMs: number
}

/** The decoder took more memory than it may: the file is made for that, or too large. */
export class OutOfMemory extends Error {}

const WATCH_MS = 50
/** Below that of the host, whose is 0. */
const PRIORITY = 5
const HEAP_MB = 128
/**
 * The kernel's own limits of a decoder, for what happens between two looks at it, and after its host was killed: data in KiB, which
 * counts what is reserved and not used too, seconds of processor, and no dump of its memory.
 */
const KERNEL_LIMITS = 'ulimit -d 2097152; ulimit -t 120; ulimit -c 0; exec "$0" "$@"'
const MAIN = join(import.meta.dirname, 'decoder-main.ts')
const QUICK_IMPORTS = join(import.meta.dirname, '..', 'quick-imports.ts')

export class Decoder {
  readonly #limits: DecoderLimits
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #hasExited = false
  #busyMs = 0

  constructor(limits: DecoderLimits) {
    this.#limits = limits
    this.#child = spawnDecoder()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#exited = promise
    const end = () => {
      this.#hasExited = true
      resolve()
    }
    this.#child.once('exit', end).once('error', end)
    // Sends and what comes in go first.
    if (this.#child.pid) lowerPriority(this.#child.pid)
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

  /** Milliseconds of all its jobs. */
  get busyMs(): number {
    return this.#busyMs
  }

  /** Rejects if the process ends before the job, by a limit or otherwise: it is of no more use then. */
  async runJob(job: MediaJob, deadline: AbortSignal): Promise<MediaReply> {
    const beganAt = performance.now()
    const { promise, resolve, reject } = Promise.withResolvers<MediaReply>()
    const abort = () => reject(new OutOfTime('the job took too long'))
    const timer = setTimeout(abort, this.#limits.jobMs)
    const watch = setInterval(() => this.#checkMemory(reject), WATCH_MS)
    deadline.addEventListener('abort', abort, { once: true })
    this.#child.once('message', resolve)
    void this.#exited.then(() => reject(new Error('the decoder ended')))
    if (deadline.aborted) abort()
    else this.#child.send(job, (error) => error && reject(error))
    try {
      return await promise
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      deadline.removeEventListener('abort', abort)
      this.#child.off('message', resolve)
      this.#busyMs += performance.now() - beganAt
    }
  }

  /** Also in the middle of a loop that does not end. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #checkMemory(reject: (error: Error) => void): void {
    const { memoryBytes } = this.#limits
    if (readMemory(this.#child.pid) > memoryBytes) reject(new OutOfMemory('the job took too much memory'))
  }
}

/** Started by a shell, because only that can limit what it becomes. It gets nothing of the host's environment. */
function spawnDecoder(): ChildProcess {
  const args = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=4', '--import', QUICK_IMPORTS, MAIN]
  return spawn('/bin/sh', ['-c', KERNEL_LIMITS, process.execPath, ...args], {
    // What the packages print about a file is for their developers.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { TMPDIR: process.env.TMPDIR ?? '', MALLOC_ARENA_MAX: '2' },
    serialization: 'advanced',
    detached: true,
  })
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch {
    // It has ended already: its first job will say so.
  }
}

/** Bytes; 0 where the system does not tell, or the process has ended. */
function readMemory(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0
  try {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib ?? 0) * 1024
  } catch {
    return 0
  }
}
