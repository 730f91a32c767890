// The gateway of the demo: the one that runs on the data folder, or one that the demo starts.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AdminClient, connectAdmin } from '../../client/client.ts'
import { projectRoot } from '../build/root.ts'
import { readRun } from '../data-folder/run-record.ts'
import { OperatorError } from '../settings/gateway-settings.ts'
import { DEFAULT_PORT, findDataDir, isSecondGateway } from '../settings/second-gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: the story reads what it shows; a wrong field is seen at once.
type Json = any

export interface Gateway {
  baseUrl: string
  /** `host:port` of receivers that need not be public. */
  allowlist: string[]
  /** The demo started it and stops it. */
  isOwn: boolean
  admin: AdminClient
  /** The control routes of the simulated network, below `/sim`. */
  callSimulator(method: string, path: string, body?: unknown): Promise<Json>
  stopGateway(): Promise<void>
}

/** By DATA_DIR or PORT, as the gateway was started. */
export async function findGateway({ DATA_DIR, PORT }: NodeJS.ProcessEnv): Promise<Gateway> {
  const port = Number(PORT || DEFAULT_PORT)
  const dataDir = DATA_DIR || findDataDir(port)
  const record = readRun(dataDir)
  // The first gateway is no answer to who asks for a second one.
  const isAnother = !DATA_DIR && isSecondGateway(port) && port > 0
  const isRequested = (baseUrl: string) => !isAnother || new URL(baseUrl).port === String(port)
  if (record && isRequested(record.baseUrl) && (await isLive(record.baseUrl)))
    return connectGateway(dataDir, undefined)
  const own = mkdtempSync(join(tmpdir(), 'gateway-demo-'))
  return connectGateway(own, await startGateway(own))
}

const isLive = async (baseUrl: string): Promise<boolean> => {
  const answer = await fetch(`${baseUrl}/health/live`).catch(() => undefined)
  return answer?.ok ?? false
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
  const child = spawn(process.execPath, [join(projectRoot, 'cli', 'start.ts')], {
    env,
    // The IPC channel tells it that the demo was killed.
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

function connectGateway(dataDir: string, child: ChildProcess | undefined): Gateway {
  const run = readRun(dataDir)
  if (!run?.simulatorUrl)
    throw new OperatorError('The story needs the simulated network: start with NETWORK=simulator.')
  const tokenFile = join(dataDir, 'admin-token')
  const adminToken =
    process.env.ADMIN_TOKEN ?? (existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : '')
  return {
    baseUrl: run.baseUrl,
    allowlist: run.allowlist,
    isOwn: child !== undefined,
    admin: connectAdmin({ baseUrl: run.baseUrl, adminToken }),
    callSimulator: (method, path, body) => requestJson(method, `${run.simulatorUrl}/sim${path}`, body),
    async stopGateway() {
      if (!child) return
      const gone = once(child, 'close')
      child.stdout?.resume()
      child.kill('SIGTERM')
      await gone
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
