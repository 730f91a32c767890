// Runs one part of the gateway as a supervised process: starts it, restarts it when it dies, and stops it gracefully.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { withDeadline } from '../../shared/deadline.ts'
import { OperatorError } from '../settings/gateway-settings.ts'
import { openLogFile } from './log-file.ts'
import type { Reaper } from './reaper.ts'

export interface PartPlan {
  name: string
  command: string
  args: string[]
  env: Record<string, string>
  logFile: string
  /** Resolves when the part answers. Called after each start. Without it, a part of Node says so by its first message. */
  waitUntilReady?(signal: AbortSignal): Promise<void>
  /** How long SIGTERM may take before SIGKILL, in milliseconds. */
  stopTimeoutMs: number
  /** Node parts notice the end of this process by their IPC channel. */
  ipc?: boolean
}

export interface Part {
  readonly name: string
  readonly pid: number
  /** Resolves when it answered for the first time. Rejects with a Complaint when it never will. */
  readonly started: Promise<void>
  /** Stops it gracefully, and starts it at once with its current files. Resolves when it answers. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Several times what a busy machine needs; a part that ends is reported at once. */
const READY_WITHIN_MS = 90_000
const RESTART_PAUSE_MS = [0, 250, 1000, 5000]
/** A part that ran this long did not fail at its start, so it is restarted at once. */
const STABLE_MS = 5000
/** The last lines of its output that are shown: an error of Node begins this far above its end. */
const TAIL_LINES = 20

export interface LogOptions {
  /** The limit in MiB for the files of one part's log. */
  maxMb: number
  /** Takes each line of the output too. */
  echo?: ((line: string) => void) | undefined
}

export interface PartContext {
  reaper: Reaper
  logs: LogOptions
  /** Prints one line on the terminal. */
  printLine(line: string): void
  /** Called when the part runs again, with another process id. */
  onRestarted(): void
}

export function startPart(plan: PartPlan, { reaper, logs, printLine, onRestarted }: PartContext): Part {
  const log = openLogFile(plan.logFile, logs.maxMb)
  let child: ChildProcess
  let tail: string[] = []
  let stopping = false
  let restarting = false
  let exits = 0

  const recordChunk = (chunk: Uint8Array) => {
    log.write(chunk)
    tail = [...tail, ...Buffer.from(chunk).toString().split('\n')].filter(Boolean).slice(-TAIL_LINES)
  }

  function recordOutput(output: Readable): void {
    // Chunks are cheaper than lines.
    if (!logs.echo) return void output.on('data', recordChunk)
    createInterface(output).on('line', (line) => {
      recordChunk(Buffer.from(`${line}\n`))
      logs.echo?.(line)
    })
  }

  async function launchProcess(): Promise<void> {
    const stdio = ['ignore', 'pipe', 'pipe', ...(plan.ipc ? (['ipc'] as const) : [])] as const
    // Its own process group: a Ctrl-C reaches only this process, which then stops the parts in order.
    child = spawn(plan.command, plan.args, { env: plan.env, stdio: [...stdio], detached: true })
    const gone = waitForExit(child)
    if (child.stdout) recordOutput(child.stdout)
    if (child.stderr) recordOutput(child.stderr)
    if (child.pid) reaper.addPid(child.pid)
    const unready = new AbortController()
    const ready = (plan.waitUntilReady?.(unready.signal) ?? waitForMessage(child)).then(
      () => 'ready' as const,
    )
    const outcome = await withDeadline(
      Promise.race([ready, gone]),
      READY_WITHIN_MS,
      () => 'never answered',
    ).finally(() => unready.abort())
    if (outcome !== 'ready') {
      await stopProcess(child, plan.stopTimeoutMs)
      throw new OperatorError(`The ${plan.name} did not start: ${[outcome, ...tail].join('\n  ')}`)
    }
    const readyAt = performance.now()
    void gone.then((how) => {
      if (performance.now() - readyAt > STABLE_MS) exits = 0
      if (child.pid) reaper.removePid(child.pid)
      if (!stopping && !restarting) void restartAfterExit(how)
    })
  }

  const isRunning = () => child.exitCode === null && child.signalCode === null

  async function restartAfterExit(how: string): Promise<void> {
    printLine(`The ${plan.name} ${how}; starting it again.`)
    await wait(RESTART_PAUSE_MS[Math.min(exits++, RESTART_PAUSE_MS.length - 1)])
    // It may have been restarted meanwhile.
    if (stopping || isRunning()) return
    try {
      await launchProcess()
      printLine(`The ${plan.name} is back.`)
      onRestarted()
    } catch (error) {
      printLine((error as Error).message)
      void restartAfterExit('is still down')
    }
  }

  const started = launchProcess()
  return {
    name: plan.name,
    started,
    get pid() {
      return child.pid ?? 0
    },
    async restart() {
      restarting = true
      try {
        await stopProcess(child, plan.stopTimeoutMs)
        if (stopping) return
        await launchProcess()
        printLine(`The ${plan.name} was started again.`)
        onRestarted()
      } finally {
        restarting = false
      }
    },
    async stop() {
      stopping = true
      await stopProcess(child, plan.stopTimeoutMs)
      log.close()
    },
  }
}

const waitForMessage = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once('message', () => resolve()))

const waitForExit = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`))
    child.once('close', (code, signal) => resolve(signal ? `was killed (${signal})` : `ended (exit ${code})`))
  })

async function stopProcess(child: ChildProcess, stopTimeoutMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return
  const gone = waitForExit(child)
  child.kill('SIGTERM')
  const how = await withDeadline(gone, stopTimeoutMs, () => 'late' as const)
  if (how === 'late') {
    child.kill('SIGKILL')
    await gone
  }
}
