// The gateway of a laboratory: the very `npm start` on free ports and a folder that is removed, whose time of day can be moved.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY, MINUTE } from '@msgnet/shared/date-time.ts'
import type { TimeMove, TimeMoved } from '@msgnet/shared/node/laboratory-time.ts'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { readRun } from '../data-folder/run-record.ts'
import { quickArgs, quickEnv } from '../processes/quick-node.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the gateway and the network answer is looked into by name.
export type Json = any

export interface Answer {
  status: number
  body: Json
}

/** A send that the network does not answer is unknown after this, so that a story need not wait longer. */
const ACTION_TIMEOUT_MS = 8000
const MAX_CLOCK_DIFFERENCE = 5 * MINUTE
/** Far from the year 9999, with which dates get another form. */
export const MAX_AHEAD = 36_500 * DAY

export class LabGateway {
  readonly #child: ChildProcess
  readonly #dataDir: string
  readonly baseUrl: string
  readonly simulatorUrl: string
  readonly adminToken: string
  #ahead = 0
  /** Another than `#ahead` while the time is moved: a part goes by one or the other. */
  #previousAhead = 0

  /**
   * `receiver`: `host:port` of that of the laboratory. `allowed`: of others, to which the gateway may deliver too. `signal`: ends a start that nobody
   * waits for any more.
   */
  static async start(receiver: string, allowed: string[], signal: AbortSignal): Promise<LabGateway> {
    const dataDir = mkdtempSync(join(tmpdir(), 'msgnet-lab-'))
    const child = spawn(process.execPath, [...quickArgs, locateProgram('../start.ts', import.meta.url)], {
      env: {
        PATH: process.env.PATH ?? '',
        ...(process.env.NODE_DISABLE_COMPILE_CACHE && { NODE_DISABLE_COMPILE_CACHE: '1' }),
        ...quickEnv,
        LABORATORY: 'on',
        DATA_DIR: dataDir,
        PORT: '0',
        SIMULATOR_PORT: '0',
        METRICS_PORT: '0',
        EDGE_METRICS_PORT: '0',
        SEND_RATE: '0',
        WEBHOOK_CHANGE_RATE: '0',
        ACTION_TIMEOUT_MS: String(ACTION_TIMEOUT_MS),
        WEBHOOK_ALLOWLIST: [receiver, ...allowed].join(),
      },
      // By the last it is told the time, and notices that this process was killed.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const end = () => child.kill('SIGTERM')
    signal.addEventListener('abort', end)
    try {
      await waitUntilReady(child)
      return new LabGateway(child, dataDir)
    } catch (error) {
      rmSync(dataDir, { recursive: true, force: true })
      throw error
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  private constructor(child: ChildProcess, dataDir: string) {
    const run = readRun(dataDir)
    if (!run) throw new OperatorError('The gateway of the laboratory has ended.')
    this.#child = child
    this.#dataDir = dataDir
    this.baseUrl = run.baseUrl
    this.simulatorUrl = run.simulatorUrl
    this.adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
  }

  /** By the clock of the gateway, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#ahead
  }

  /** Whether a part may take this for the present time, as exactly as the specification of Standard Webhooks asks for. */
  isNow = (at: number): boolean =>
    [this.#ahead, this.#previousAhead].some(
      (ahead) => Math.abs(at - Date.now() - ahead) < MAX_CLOCK_DIFFERENCE,
    )

  get ahead(): number {
    return this.#ahead
  }

  /** Resolves when all its parts go by the new time, and what has become due is under way. One move at a time. */
  async moveTime(ms: number): Promise<void> {
    const ahead = this.#ahead + ms
    const moved = Promise.withResolvers<void>()
    const listen = ({ timeMoved }: Partial<TimeMoved>) => timeMoved === ahead && moved.resolve()
    const fail = () => moved.reject(new OperatorError('The gateway of the laboratory has ended.'))
    this.#child.on('message', listen)
    this.#child.once('exit', fail)
    this.#previousAhead = this.#ahead
    this.#ahead = ahead
    this.#child.send({ timeAhead: ahead } satisfies TimeMove)
    try {
      await moved.promise
      this.#previousAhead = ahead
    } finally {
      this.#child.off('message', listen)
      this.#child.off('exit', fail)
    }
  }

  callAdmin = (method: string, path: string, body?: unknown): Promise<Answer> =>
    requestJson(method, this.baseUrl + path, body, { admintoken: this.adminToken })

  callAs = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    requestJson(method, this.baseUrl + path, body, { token })

  /** A control route of the simulated network. Throws if it refuses. */
  async sim(method: string, path: string, body?: unknown): Promise<Json> {
    const { status, body: answer } = await requestJson(method, `${this.simulatorUrl}/sim${path}`, body)
    if (status >= 300)
      throw new OperatorError(`${method} /sim${path} answered ${status}: ${JSON.stringify(answer)}`)
    return answer
  }

  /** As the system kills what takes too much memory: without a word. It is started again by itself. */
  killEdge(): void {
    const { edge = 0 } = readRun(this.#dataDir)?.parts ?? {}
    // 0 would be this process.
    if (edge === 0) throw new OperatorError('The gateway of the laboratory has ended.')
    process.kill(edge, 'SIGKILL')
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#dataDir, { recursive: true, force: true })
  }
}

/** Throws with what it printed if it ends before. */
async function waitUntilReady(child: ChildProcess): Promise<void> {
  let printed = ''
  const ready = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed += chunk
      if (printed.includes('ready in')) ready.resolve()
    })
  child.once('exit', () =>
    ready.reject(new OperatorError(`The gateway of the laboratory did not start.\n${printed}`)),
  )
  await ready.promise
}

async function requestJson(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : null }
}
