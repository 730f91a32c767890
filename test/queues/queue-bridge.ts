// The program that feeds a queue, for tests: it can be killed and started again on the same file.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { until } from '../until.ts'

/** Its first position included. */
const START_WITHIN_MS = 40_000
const folder = join(import.meta.dirname, '..', '..', 'bridges')

export interface QueueBridge {
  /** Resolves when it feeds the queue. */
  start(): Promise<void>
  kill(): Promise<void>
  /** Asks it to end, and resolves with its exit code. */
  stop(): Promise<number | null>
  /** Starts it, and resolves with its exit code. */
  runToEnd(): Promise<number | null>
  /** What it has printed since its last start. */
  readOutput(): string
}

export function createQueueBridge(env: Record<string, string>): QueueBridge {
  let child: ChildProcess | undefined
  let ended: Promise<number | null> = Promise.resolve(null)
  let output = ''

  function spawnBridge(): void {
    output = ''
    child = spawn(process.execPath, ['queue.ts'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...quickEnv, ...env },
    })
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    const started = child
    ended = new Promise((resolve) => started.once('close', resolve))
  }

  function end(signal: NodeJS.Signals): Promise<number | null> {
    child?.kill(signal)
    return ended
  }

  return {
    async start() {
      spawnBridge()
      await until(() => output.includes(' gets the events of '), { within: START_WITHIN_MS }).catch(
        (late) => {
          throw new Error(`${late}: ${output}`)
        },
      )
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    runToEnd() {
      spawnBridge()
      return ended
    },
    readOutput: () => output,
  }
}
