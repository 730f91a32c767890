// Ends the parts when the start itself is killed without warning: otherwise they would live on and hold their ports.

import { spawn } from 'node:child_process'

export interface Reaper {
  watch(pid: number): void
  forget(pid: number): void
  dismiss(): void
}

/**
 * A shell of a few hundred kilobytes that reads lines of process ids. When its input ends, which a kill -9 of this
 * process cannot prevent, it ends whatever the last line named.
 */
export function startReaper(): Reaper {
  const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids 2>/dev/null'
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.unref()
  // A shell that died takes no more lines; the parts are then only as safe as without it.
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
