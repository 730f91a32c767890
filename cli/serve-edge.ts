// `npm run edge`: makes this process the edge, on a file of its DATA_DIR or on a libSQL server. It migrates the database first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { refuseArguments, runCommand } from '@msgnet/shared/node/run-command.ts'
import { requirePages } from './build/page-files.ts'
import { prepareDatabaseFile } from './data-folder/database-file.ts'
import { refuseNewerFormat } from './data-folder/folder-format.ts'
import { lockDataDir } from './data-folder/folder-lock.ts'
import { restrictDataFolder } from './data-folder/restrict-folder.ts'
import { waitUntilReady } from './http/wait-until-ready.ts'
import type { DatabaseAccess } from './parts/database-part.ts'
import { buildEdgeEnvironment, runsInNode } from './parts/edge-part.ts'
import { openLogLines } from './processes/log-lines.ts'
import { quickArgs } from './processes/quick-node.ts'
import { describeCompatibility } from './settings/describe-compatibility.ts'
import { readSettings } from './settings/gateway-settings.ts'
import { claimPort } from './settings/ports.ts'

/** A database that is started at the same time may need a moment. */
const DATABASE_TIMEOUT_MS = 30_000

// Where stdout is collected, all lines are JSON.
const printLine = process.stdout.isTTY
  ? (line: string) => void process.stdout.write(`${line}\n`)
  : openLogLines().write

async function serveEdge(): Promise<void> {
  refuseArguments()
  const settings = readSettings(process.env)
  const { DATABASE_URL: url, ADMIN_TOKEN: adminToken, SEAL_KEYS: sealKeys } = settings
  // The edge does not generate them, because they would be lost with its machine.
  if (!adminToken || !sealKeys)
    throw new OperatorError('ADMIN_TOKEN and SEAL_KEYS must be set for an edge that runs alone.')
  if (!runsInNode(settings))
    throw new OperatorError('npm run edge runs the edge in Node: leave EDGE_ENGINE out.')
  requirePages()
  restrictDataFolder(settings.DATA_DIR)
  // The lock lasts until this process ends.
  lockDataDir(settings.DATA_DIR)
  refuseNewerFormat(settings.DATA_DIR)
  const database = url ? { url, token: settings.DATABASE_TOKEN ?? '' } : prepareDatabaseFile(settings)
  const port = await claimPort('PORT', settings.HOST, settings.PORT)
  const { EDGE_METRICS_HOST, EDGE_METRICS_PORT } = settings
  const metricsPort = await claimPort('EDGE_METRICS_PORT', EDGE_METRICS_HOST, EDGE_METRICS_PORT)
  if (url) await waitForServer(url)
  await migrateDatabase(database)
  Object.assign(
    process.env,
    buildEdgeEnvironment(settings, { adminToken, sealKeys }, database, { port, metricsPort }),
  )
  // It reads its environment, accepts requests from here on, and stops on a signal.
  await import('@msgnet/edge/node/edge-process.ts')
  for (const line of describeCompatibility(settings)) printLine(line)
  printLine(`The edge answers on http://${settings.HOST}:${port}.`)
}

/** In another process, because what it loads would stay in the memory of this one. */
async function migrateDatabase({ url, token }: DatabaseAccess): Promise<void> {
  const child = spawn(process.execPath, [...quickArgs, join(import.meta.dirname, 'migrate.ts')], {
    env: { ...process.env, DATABASE_URL: url, DATABASE_TOKEN: token },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  // It has printed the reason.
  if (code !== 0) process.exit(1)
}

const waitForServer = (url: string): Promise<void> =>
  waitUntilReady(
    `${url.replace(/^libsql:/, 'https:').replace(/\/$/, '')}/health`,
    AbortSignal.timeout(DATABASE_TIMEOUT_MS),
  )

await runCommand(serveEdge)
