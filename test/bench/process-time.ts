// Processor time of processes that are not our children, from the system's own accounting.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The system counts processor time in ticks of this many milliseconds. */
const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK']).toString())

/**
 * Milliseconds of processor time, user and system, of all threads of a process since it began. A tick is a tenth of what some rows
 * of the costs take, so it is the sum of what its threads have taken, which is told in nanoseconds; threads that have ended are
 * only in the ticks.
 */
export const readProcessTime = (pid: number): number => Math.max(readTicks(pid), sumThreads(pid))

function readTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name stands in brackets and may hold anything: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]]
  return (Number(user) + Number(system)) * TICK_MS
}

const sumThreads = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + readThread(pid, thread), 0)

/** 0 if it has ended meanwhile. */
function readThread(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}
