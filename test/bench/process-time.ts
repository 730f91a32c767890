// Processor time of processes that are not our children, from the system's own accounting.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The system counts processor time in ticks of this many milliseconds. */
const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** Milliseconds of processor time, user and system, of all threads of a process since it began. */
export function readProcessTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name stands in brackets and may hold anything: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]]
  return (Number(user) + Number(system)) * TICK_MS
}
