// What a test needs of a queue's server, whichever it is: it can be killed and started again on what it has stored.

import { type ChildProcess, spawn } from 'node:child_process'

export interface QueuedMessage {
  /** The event's id, as the queue carries it beside the body. */
  id: string
  /** The routing key or subject without its prefix, or the group. */
  route: string
  body: string
}

export interface QueueServer {
  /** Variables with which the bridge feeds it. */
  readonly env: Record<string, string>
  /** The same with a password that the server does not know. */
  readonly strangerEnv: Record<string, string>
  /** The same with a queue that is not there. */
  readonly missingEnv: Record<string, string>
  start(): Promise<void>
  /** As a loss of power would end it. */
  kill(): Promise<void>
  /** All messages that were ever queued, in their order. */
  readMessages(): Promise<QueuedMessage[]>
  close(): Promise<void>
}

/** In a process group of its own, because some servers start further processes. */
export function spawnServer(program: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(program, args, {
    detached: true,
    stdio: process.env.QUEUE_LOG ? 'inherit' : 'ignore',
    env: { PATH: process.env.PATH, ...env },
  })
  return {
    child,
    kill: () => killGroup(child),
  }
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (!child.pid || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, 'SIGKILL')
  await ended
}
