// Ends the parts when the start itself is killed, because they would keep running and hold their ports.

import { spawn } from 'node:child_process'

/**
 * A shell of a few hundred kilobytes that reads lines of process ids. When its input ends, which a kill -9 of this
 * process cannot prevent, it kills the processes of the last line.
 */
export class Reaper {
  readonly #input
  readonly #pids = new Set<number>()

  constructor() {
    const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids 2>/dev/null'
    const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    shell.unref()
    this.#input = shell.stdin
    // If the shell has died, a write fails; the parts are then left without this protection.
    this.#input.on('error', () => shell.kill())
  }

  addPid(pid: number): void {
    this.#pids.add(pid)
    this.#sendPids()
  }

  removePid(pid: number): void {
    this.#pids.delete(pid)
    this.#sendPids()
  }

  stop(): void {
    this.#pids.clear()
    this.#sendPids()
    this.#input.end()
  }

  #sendPids(): void {
    this.#input.write(`${[...this.#pids].join(' ')}\n`)
  }
}
