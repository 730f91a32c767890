// `npm run edge`: makes this process the edge, on a file of its DATA_DIR or on a libSQL server. It migrates the database first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { needPages } from './build/pages.ts'
import { closeDataFolder } from './data-folder/data-folder.ts'
import { prepareDatabaseFile } from './data-folder/database-file.ts'
import { refuseNewerFormat } from './data-folder/format.ts'
import { lockDataDir } from './data-folder/lock.ts'
import { answers } from './http/answers.ts'
import type { DatabaseAccess } from './parts/database.ts'
import { edgeEnvironment, isNode } from './parts/edge.ts'
import { openLogLines } from './processes/log-lines.ts'
import { quickArgs } from './processes/quick-node.ts'
import { refuseArguments, runCommand } from './settings/command.ts'
import { givenUp } from './settings/compatibility.ts'
import { claimPort } from './settings/ports.ts'
import { Complaint, readSettings } from './settings/settings.ts'

/** A database that is started at the same time may need a moment. */
const DATABASE_WITHIN_MS = 30_000

// Where stdout is collected, all lines are JSON.
const say = process.stdout.isTTY
  ? (line: string) => void process.stdout.write(`${line}\n`)
  : openLogLines().write

async function serve(): Promise<void> {
  refuseArguments()
  const settings = readSettings(process.env)
  const { DATABASE_URL: url, ADMIN_TOKEN: adminToken, SEAL_KEYS: sealKeys } = settings
  // The edge does not generate them, because they would be lost with its machine.
  if (!adminToken || !sealKeys)
    throw new Complaint('ADMIN_TOKEN and SEAL_KEYS must be set for an edge that runs alone.')
  if (!isNode(settings)) throw new Complaint('npm run edge runs the edge in Node: leave EDGE_ENGINE out.')
  needPages()
  closeDataFolder(settings.DATA_DIR)
  // Held until this process ends.
  lockDataDir(settings.DATA_DIR)
  refuseNewerFormat(settings.DATA_DIR)
  const database = url
    ? { url, token: settings.DATABASE_TOKEN ?? '' }
    : await prepareDatabaseFile(settings, say)
  const port = await claimPort('PORT', settings.HOST, settings.PORT)
  const { EDGE_METRICS_HOST, EDGE_METRICS_PORT } = settings
  const metricsPort = await claimPort('EDGE_METRICS_PORT', EDGE_METRICS_HOST, EDGE_METRICS_PORT)
  if (url) await waitForServer(url)
  await migrate(database)
  Object.assign(
    process.env,
    edgeEnvironment(settings, { adminToken, sealKeys }, database, { port, metricsPort }),
  )
  // It reads its environment, answers from here on, and stops on a signal.
  await import('../edge/node/main.ts')
  for (const line of givenUp(settings)) say(line)
  say(`The edge answers on http://${settings.HOST}:${port}.`)
}

/** In another process, because what it loads would stay in the memory of this one. */
async function migrate({ url, token }: DatabaseAccess): Promise<void> {
  const child = spawn(process.execPath, [...quickArgs, join(import.meta.dirname, 'migrate.ts')], {
    env: { ...process.env, DATABASE_URL: url, DATABASE_TOKEN: token },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  // It has said why.
  if (code !== 0) process.exit(1)
}

const waitForServer = (url: string): Promise<void> =>
  answers(
    `${url.replace(/^libsql:/, 'https:').replace(/\/$/, '')}/health`,
    AbortSignal.timeout(DATABASE_WITHIN_MS),
  )

await runCommand(serve)
