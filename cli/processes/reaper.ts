// Ends the parts when the start itself is killed, because they would keep running and hold their ports.

import { spawn } from 'node:child_process'

export interface Reaper {
  addPid(pid: number): void
  removePid(pid: number): void
  stopReaper(): void
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
  const sendPids = () => shell.stdin.write(`${[...pids].join(' ')}\n`)
  return {
    addPid(pid) {
      pids.add(pid)
      sendPids()
    },
    removePid(pid) {
      pids.delete(pid)
      sendPids()
    },
    stopReaper() {
      pids.clear()
      sendPids()
      shell.stdin.end()
    },
  }
}
