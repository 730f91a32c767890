// The gateway of the demo: the one that runs on the data folder, or one that the demo starts.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAdmin } from '@msgnet/client/client.ts'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { readRun } from '../data-folder/run-record.ts'
import { DEFAULT_PORT, findDataDir, isSecondGateway } from '../settings/second-gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: the demo prints what it reads; a wrong field is seen at once.
type Json = any

export type DemoGateway = Awaited<ReturnType<typeof findGateway>>

/** By DATA_DIR or PORT, as the gateway was started. */
export async function findGateway({ DATA_DIR, PORT }: NodeJS.ProcessEnv) {
  const port = Number(PORT || DEFAULT_PORT)
  const dataDir = DATA_DIR || findDataDir(port)
  const record = readRun(dataDir)
  // With another PORT a second gateway is meant, so the first one is not used.
  const isSecond = !DATA_DIR && isSecondGateway(port) && port > 0
  const isRequested = (baseUrl: string) => !isSecond || new URL(baseUrl).port === String(port)
  if (record && isRequested(record.baseUrl) && (await isLive(record.baseUrl)))
    return connectGateway(dataDir, undefined)
  const ownFolder = mkdtempSync(join(tmpdir(), 'gateway-demo-'))
  return connectGateway(ownFolder, await startGateway(ownFolder))
}

const isLive = async (baseUrl: string): Promise<boolean> => {
  const response = await fetch(`${baseUrl}/health/live`).catch(() => undefined)
  return response?.ok ?? false
}

async function startGateway(dataDir: string): Promise<ChildProcess> {
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    SIMULATOR_PORT: '0',
    METRICS_PORT: '0',
    EDGE_METRICS_PORT: '0',
  }
  const child = spawn(process.execPath, [locateProgram('../start.ts', import.meta.url)], {
    env,
    // By the IPC channel it notices that the demo was killed.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let printed = ''
  for await (const chunk of child.stdout ?? []) {
    printed += chunk
    if (printed.includes('ready in')) break
  }
  if (!printed.includes('ready in')) throw new OperatorError(`The gateway did not start.\n${printed}`)
  return child
}

/** `child` is the process that the demo has started, if any. */
function connectGateway(dataDir: string, child: ChildProcess | undefined) {
  const run = readRun(dataDir)
  if (!run?.simulatorUrl)
    throw new OperatorError('The demo needs the simulated network: start with NETWORK=simulator.')
  const tokenFile = join(dataDir, 'admin-token')
  const adminToken =
    process.env.ADMIN_TOKEN ?? (existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : '')
  return {
    baseUrl: run.baseUrl,
    /** `host:port` of receivers that need not be public. */
    allowlist: run.allowlist,
    /** Whether the demo started it. */
    isOwn: child !== undefined,
    admin: connectAdmin({ baseUrl: run.baseUrl, adminToken }),
    /** The control routes of the simulated network, below `/sim`. */
    callSimulator: (method: string, path: string, body?: unknown) =>
      requestJson(method, `${run.simulatorUrl}/sim${path}`, body),
    /** Stops it if the demo started it. */
    async stopGateway(): Promise<void> {
      if (!child) return
      const closed = once(child, 'close')
      child.stdout?.resume()
      child.kill('SIGTERM')
      await closed
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function requestJson(method: string, url: string, body: unknown): Promise<Json> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const text = await response.text()
  if (!response.ok)
    throw new OperatorError(`${method} ${new URL(url).pathname} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
