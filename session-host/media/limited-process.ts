// Starts a program that reads foreign bytes: it gets nothing of the host's environment, less of the processor, and limits of the kernel.

import {
  type ChildProcess,
  type ChildProcessByStdio,
  type SpawnOptions,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
  spawn,
} from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'

/** What the kernel enforces: between two looks of the host at it, and after its host was killed. */
export interface KernelLimits {
  /** Memory that is reserved to be written, used or not. */
  dataBytes: number
  /** Of its whole life. */
  cpuSeconds: number
  /** Of each file that it writes. */
  fileBytes: number
}

/** Below that of the host, whose is 0. */
const PRIORITY = 5
const KIB = 1024
/** In which a shell counts the size of files. */
const BLOCK = 512

/** A shell, because only that can limit what it becomes. A stricter limit of the operator stays; nothing is dumped. */
const SET_LIMITS =
  '{ ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; ulimit -f "$3"; } 2>/dev/null; shift 3; exec "$@"'

type Command = readonly [program: string, ...args: string[]]

export function spawnLimited(
  command: Command,
  limits: KernelLimits,
  options: SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioNull>,
): ChildProcessByStdio<Writable, Readable, null>
export function spawnLimited(command: Command, limits: KernelLimits, options: SpawnOptions): ChildProcess
export function spawnLimited(
  command: Command,
  { dataBytes, cpuSeconds, fileBytes }: KernelLimits,
  options: SpawnOptions,
): ChildProcess {
  const limits = [dataBytes / KIB, cpuSeconds, fileBytes / BLOCK].map((limit) => `${Math.ceil(limit)}`)
  const child = spawn('/bin/sh', ['-c', SET_LIMITS, 'sh', ...limits, ...command], options)
  // Sends and what comes in go first.
  if (child.pid) {
    lowerPriority(child.pid)
    if (options.detached) lowerGroupPriority(child.pid)
  }
  return child
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch {
    // It has ended already, which its exit says.
  }
}

/**
 * Linux may share the processor between sessions first, and a detached process has one of its own: its priority counts within that
 * alone. Other kernels have no such file, and this one takes no two changes within a moment.
 */
function lowerGroupPriority(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY), { flag: 'r+' })
  } catch {
    // It shares equally with the host, as it would without a priority.
  }
}
