// Ends the parts when the start itself is killed, because they would keep running and hold their ports.

import { spawn } from 'node:child_process'

export interface Reaper {
  watch(pid: number): void
  forget(pid: number): void
  dismiss(): void
}

/**
 * A shell of a few hundred kilobytes that reads lines of process ids. When its input ends, which a kill -9 of this
 * process cannot prevent, it kills the processes of the last line.
 */
export function startReaper(): Reaper {
  const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids 2>/dev/null'
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.unref()
  // If the shell has died, a write fails; the parts are then left without this protection.
  shell.stdin.on('error', () => shell.kill())
  const pids = new Set<number>()
  const tell = () => shell.stdin.write(`${[...pids].join(' ')}\n`)
  return {
    watch(pid) {
      pids.add(pid)
      tell()
    },
    forget(pid) {
      pids.delete(pid)
      tell()
    },
    dismiss() {
      pids.clear()
      tell()
      shell.stdin.end()
    },
  }
}
