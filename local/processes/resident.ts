// Reads the resident memory of a process, on Linux.

import { existsSync, readFileSync } from 'node:fs'

/** In bytes; undefined on other systems, without a process, and for one that has ended. */
export function residentOf(pid: number | undefined | false): number | undefined {
  if (!pid) return undefined
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return undefined
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8')) ?? []
  return kib === undefined ? undefined : Number(kib) * 1024
}
