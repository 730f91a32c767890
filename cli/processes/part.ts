// Runs one part of the gateway as a supervised process: starts it, restarts it when it exits, and stops it gracefully.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import type { TimeMove, TimeMoved } from '@msgnet/shared/node/laboratory-time.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { LogFile } from './log-file.ts'
import type { Reaper } from './reaper.ts'

export interface PartPlan {
  name: string
  command: string
  args: string[]
  env: Record<string, string>
  logFile: string
  /** Resolves when the part answers. Called after each start. Without it, the first message of a Node part means that it is ready. */
  waitUntilReady?(signal: AbortSignal): Promise<void>
  /** Milliseconds between SIGTERM and SIGKILL. */
  stopTimeoutMs: number
  /** Node parts notice the end of this process by their IPC channel. */
  ipc?: boolean
}

/** Several times what a busy machine needs. A part that exits is reported at once. */
const READY_WITHIN_MS = 90_000
const RESTART_PAUSE_MS = [0, 250, 1000, 5000]
/** A part that ran this long did not fail at its start, so it is restarted at once. */
const STABLE_MS = 5000
/** How many of the last lines of its output are shown: an error of Node begins this far above its end. */
const TAIL_LINES = 20

/** Variables of this machine that Node and its libraries read by themselves, and those of the laboratory's clock: every part gets them. */
const MACHINE_VARIABLES = [
  'LABORATORY',
  'LABORATORY_AHEAD',
  'LANG',
  'NODE_DISABLE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TMPDIR',
  'TZ',
]

const readMachineVariables = (): Record<string, string> =>
  Object.fromEntries(
    MACHINE_VARIABLES.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

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

export class Part {
  /** Resolves when the part answers for the first time. Rejects with an OperatorError when it never will. */
  readonly started: Promise<void>
  readonly #plan: PartPlan
  readonly #context: PartContext
  readonly #log: LogFile
  #child: ChildProcess | undefined
  #tail: string[] = []
  #stopping = false
  #restarting = false
  #exits = 0

  constructor(plan: PartPlan, context: PartContext) {
    this.#plan = plan
    this.#context = context
    this.#log = new LogFile(plan.logFile, context.logs.maxMb)
    this.started = this.#launchProcess()
  }

  get name(): string {
    return this.#plan.name
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Stops it gracefully, and starts it at once with its current files. Resolves when it answers. */
  async restart(): Promise<void> {
    this.#restarting = true
    try {
      await this.#stopProcess(this.#child)
      if (this.#stopping) return
      await this.#launchProcess()
      this.#context.printLine(`The ${this.name} was started again.`)
      this.#context.onRestarted()
    } finally {
      this.#restarting = false
    }
  }

  /** In a laboratory: resolves when the part goes by the moved time. One that restarts begins with it. */
  async moveTime(timeAhead: number): Promise<void> {
    const child = this.#child
    if (!child?.connected) return
    const moved = Promise.withResolvers<void>()
    const listen = ({ timeMoved }: Partial<TimeMoved>) => timeMoved === timeAhead && moved.resolve()
    child.on('message', listen)
    child.once('exit', moved.resolve)
    child.send({ timeAhead } satisfies TimeMove)
    await moved.promise
    child.off('message', listen)
    child.off('exit', moved.resolve)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#stopProcess(this.#child)
    this.#log.close()
  }

  async #launchProcess(): Promise<void> {
    const { command, args, env, ipc, waitUntilReady } = this.#plan
    const stdio = ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])] as const
    // Its own process group: a Ctrl-C reaches only this process, which then stops the parts in order.
    const child = spawn(command, args, {
      env: { ...readMachineVariables(), ...env },
      stdio: [...stdio],
      detached: true,
    })
    this.#child = child
    const exited = waitForExit(child)
    if (child.stdout) this.#recordOutput(child.stdout)
    if (child.stderr) this.#recordOutput(child.stderr)
    if (child.pid) this.#context.reaper.addPid(child.pid)
    const unready = new AbortController()
    const ready = (waitUntilReady?.(unready.signal) ?? waitForMessage(child)).then(() => 'ready' as const)
    const outcome = await withDeadline(
      Promise.race([ready, exited]),
      READY_WITHIN_MS,
      () => 'never answered',
    ).finally(() => unready.abort())
    if (outcome !== 'ready') {
      // Another may run by now, if it was restarted meanwhile.
      await this.#stopProcess(child)
      if (child.pid) this.#context.reaper.removePid(child.pid)
      throw new OperatorError(`The ${this.name} did not start: ${[outcome, ...this.#tail].join('\n  ')}`)
    }
    this.#restartOnExit(child, exited)
  }

  #restartOnExit(child: ChildProcess, exited: Promise<string>): void {
    const readyAt = performance.now()
    void exited.then((outcome) => {
      if (performance.now() - readyAt > STABLE_MS) this.#exits = 0
      if (child.pid) this.#context.reaper.removePid(child.pid)
      if (!this.#stopping && !this.#restarting) void this.#restartAfterExit(outcome)
    })
  }

  async #restartAfterExit(outcome: string): Promise<void> {
    this.#context.printLine(`The ${this.name} ${outcome}; starting it again.`)
    await wait(RESTART_PAUSE_MS[Math.min(this.#exits++, RESTART_PAUSE_MS.length - 1)])
    // It may have been restarted during the pause.
    if (this.#stopping || this.#isRunning()) return
    try {
      await this.#launchProcess()
      this.#context.printLine(`The ${this.name} is back.`)
      this.#context.onRestarted()
    } catch (error) {
      this.#context.printLine((error as Error).message)
      void this.#restartAfterExit('is still down')
    }
  }

  #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null
  }

  #recordOutput(output: Readable): void {
    const { echo } = this.#context.logs
    // Chunks are cheaper than lines.
    if (!echo) return void output.on('data', (chunk: Uint8Array) => this.#recordChunk(chunk))
    createInterface(output).on('line', (line) => {
      this.#recordChunk(Buffer.from(`${line}\n`))
      echo(line)
    })
  }

  #recordChunk(chunk: Uint8Array): void {
    this.#log.write(chunk)
    const lines = Buffer.from(chunk).toString().split('\n')
    this.#tail = [...this.#tail, ...lines].filter(Boolean).slice(-TAIL_LINES)
  }

  async #stopProcess(child: ChildProcess | undefined): Promise<void> {
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
    const exited = waitForExit(child)
    child.kill('SIGTERM')
    const outcome = await withDeadline(exited, this.#plan.stopTimeoutMs, () => 'late' as const)
    if (outcome === 'late') {
      child.kill('SIGKILL')
      await exited
    }
  }
}

const waitForMessage = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once('message', () => resolve()))

const waitForExit = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`))
    child.once('close', (code, signal) => resolve(signal ? `was killed (${signal})` : `ended (exit ${code})`))
  })
