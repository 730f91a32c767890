// Runs one part of the gateway as a supervised process: starts it, restarts it when it dies, and stops it gracefully.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { withDeadline } from '../../shared/deadline.ts'
import { Complaint } from '../settings/settings.ts'
import { openLogFile } from './log-file.ts'
import type { Reaper } from './reaper.ts'

export interface PartPlan {
  name: string
  command: string
  args: string[]
  env: Record<string, string>
  logFile: string
  /** Resolves when the part answers. Called after each start. Without it, a part of Node says so by its first message. */
  ready?(signal: AbortSignal): Promise<void>
  /** How long SIGTERM may take before SIGKILL, in milliseconds. */
  grace: number
  /** Node parts notice the end of this process by their IPC channel. */
  ipc?: boolean
}

export interface Part {
  readonly name: string
  readonly pid: number
  /** Resolves when it answered for the first time. Rejects with a Complaint when it never will. */
  readonly up: Promise<void>
  /** Stops it gracefully, and starts it at once with its current files. Resolves when it answers. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Several times what a busy machine needs; a part that ends is reported at once. */
const READY_WITHIN_MS = 90_000
const RESTART_PAUSE_MS = [0, 250, 1000, 5000]
/** A part that ran this long did not fail at its start, so it is restarted at once. */
const SETTLED_MS = 5000
/** The last lines of its output that are shown: an error of Node begins this far above its end. */
const TAIL_LINES = 20

export interface LogTerms {
  /** The limit in MiB for the files of one part's log. */
  keepMb: number
  /** Takes each line of the output too. */
  echo?: ((line: string) => void) | undefined
}

export interface Supervision {
  reaper: Reaper
  logs: LogTerms
  /** Prints one line on the terminal. */
  say(line: string): void
  /** Called when the part runs again, with another process id. */
  revived(): void
}

export function startPart(plan: PartPlan, { reaper, logs, say, revived }: Supervision): Part {
  const log = openLogFile(plan.logFile, logs.keepMb)
  let child: ChildProcess
  let tail: string[] = []
  let stopping = false
  let restarting = false
  let deaths = 0

  const keep = (chunk: Uint8Array) => {
    log.write(chunk)
    tail = [...tail, ...Buffer.from(chunk).toString().split('\n')].filter(Boolean).slice(-TAIL_LINES)
  }

  function keepOutput(output: Readable): void {
    // Chunks are cheaper than lines.
    if (!logs.echo) return void output.on('data', keep)
    createInterface(output).on('line', (line) => {
      keep(Buffer.from(`${line}\n`))
      logs.echo?.(line)
    })
  }

  async function launch(): Promise<void> {
    const stdio = ['ignore', 'pipe', 'pipe', ...(plan.ipc ? (['ipc'] as const) : [])] as const
    // Its own process group: a Ctrl-C reaches only this process, which then stops the parts in order.
    child = spawn(plan.command, plan.args, { env: plan.env, stdio: [...stdio], detached: true })
    const gone = ended(child)
    if (child.stdout) keepOutput(child.stdout)
    if (child.stderr) keepOutput(child.stderr)
    if (child.pid) reaper.watch(child.pid)
    const unready = new AbortController()
    const ready = (plan.ready?.(unready.signal) ?? firstMessage(child)).then(() => 'ready' as const)
    const outcome = await withDeadline(
      Promise.race([ready, gone]),
      READY_WITHIN_MS,
      () => 'never answered',
    ).finally(() => unready.abort())
    if (outcome !== 'ready') {
      await end(child, plan.grace)
      throw new Complaint(`The ${plan.name} did not start: ${[outcome, ...tail].join('\n  ')}`)
    }
    const readyAt = performance.now()
    void gone.then((how) => {
      if (performance.now() - readyAt > SETTLED_MS) deaths = 0
      if (child.pid) reaper.forget(child.pid)
      if (!stopping && !restarting) void revive(how)
    })
  }

  const runs = () => child.exitCode === null && child.signalCode === null

  async function revive(how: string): Promise<void> {
    say(`The ${plan.name} ${how}; starting it again.`)
    await wait(RESTART_PAUSE_MS[Math.min(deaths++, RESTART_PAUSE_MS.length - 1)])
    // It may have been restarted meanwhile.
    if (stopping || runs()) return
    try {
      await launch()
      say(`The ${plan.name} is back.`)
      revived()
    } catch (error) {
      say((error as Error).message)
      void revive('is still down')
    }
  }

  const up = launch()
  return {
    name: plan.name,
    up,
    get pid() {
      return child.pid ?? 0
    },
    async restart() {
      restarting = true
      try {
        await end(child, plan.grace)
        if (stopping) return
        await launch()
        say(`The ${plan.name} was started again.`)
        revived()
      } finally {
        restarting = false
      }
    },
    async stop() {
      stopping = true
      await end(child, plan.grace)
      log.close()
    },
  }
}

const firstMessage = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once('message', () => resolve()))

const ended = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`))
    child.once('close', (code, signal) => resolve(signal ? `was killed (${signal})` : `ended (exit ${code})`))
  })

async function end(child: ChildProcess, grace: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return
  const gone = ended(child)
  child.kill('SIGTERM')
  const how = await withDeadline(gone, grace, () => 'late' as const)
  if (how === 'late') {
    child.kill('SIGKILL')
    await gone
  }
}
