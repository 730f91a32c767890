// `npm run edge`: runs the edge alone, on a file of its DATA_DIR or on a libSQL server, until SIGTERM. It migrates the database first.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { needPages } from './build/pages.ts'
import { closeDataFolder } from './data-folder/data-folder.ts'
import { prepareDatabaseFile } from './data-folder/database-file.ts'
import { refuseNewerFormat } from './data-folder/format.ts'
import { lockDataDir } from './data-folder/lock.ts'
import { answers } from './http/answers.ts'
import { migrateEdge } from './migrate.ts'
import { edgePart, isNode } from './parts/edge.ts'
import { makeCrew } from './processes/crew.ts'
import { type LogLines, openLogLines } from './processes/log-lines.ts'
import { stopSignal } from './processes/stop-signal.ts'
import { refuseArguments, runCommand } from './settings/command.ts'
import { givenUp } from './settings/compatibility.ts'
import { claimPort } from './settings/ports.ts'
import { Complaint, readSettings } from './settings/settings.ts'

/** A database that is started at the same time may need a moment. */
const DATABASE_WITHIN_MS = 30_000

/** `lines`: where stdout is collected, it gets the edge's log lines too, and this process's own as JSON. */
async function serve(stopped: Promise<string>, lines: LogLines | undefined): Promise<void> {
  const say = lines?.write ?? console.log
  refuseArguments()
  const settings = readSettings(process.env)
  const { DATABASE_URL: url, ADMIN_TOKEN: adminToken, SEAL_KEYS: sealKeys } = settings
  // The edge does not generate them, because they would be lost with its machine.
  if (!adminToken || !sealKeys)
    throw new Complaint('ADMIN_TOKEN and SEAL_KEYS must be set for an edge that runs alone.')
  needPages()
  if (!url && !isNode(settings)) throw new Complaint('DATABASE_URL must be set for an edge under Miniflare.')
  closeDataFolder(settings.DATA_DIR)
  const lock = lockDataDir(settings.DATA_DIR)
  refuseNewerFormat(settings.DATA_DIR)
  mkdirSync(join(settings.DATA_DIR, 'logs'), { recursive: true })
  const database = url
    ? { url, token: settings.DATABASE_TOKEN ?? '' }
    : await prepareDatabaseFile(settings, say)
  const port = await claimPort('PORT', settings.HOST, settings.PORT)
  const { EDGE_METRICS_HOST, EDGE_METRICS_PORT } = settings
  const metricsPort = await claimPort('EDGE_METRICS_PORT', EDGE_METRICS_HOST, EDGE_METRICS_PORT)
  if (url) await waitForServer(url)
  await migrateEdge(database)
  const crew = makeCrew(say, () => undefined, { keepMb: settings.LOG_KEEP_MB, echo: lines?.write })
  try {
    const secrets = { adminToken, sealKeys }
    const started = crew.start(edgePart(settings, secrets, database, { port, metricsPort })).then(() => {
      for (const line of givenUp(settings)) say(line)
      say(`The edge answers on http://${settings.HOST}:${port}.`)
      return stopped
    })
    say(`${await Promise.race([stopped, started])}: stopping.`)
  } finally {
    await crew.stop()
    lock.release()
  }
}

const waitForServer = (url: string): Promise<void> =>
  answers(
    `${url.replace(/^libsql:/, 'https:').replace(/\/$/, '')}/health`,
    AbortSignal.timeout(DATABASE_WITHIN_MS),
  )

const lines = process.stdout.isTTY ? undefined : openLogLines()
await runCommand(() => serve(stopSignal(), lines))
await lines?.end()
process.exit()
