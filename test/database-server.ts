// A libSQL server of a test's own: a database that is a process, for gateways with DATABASE_URL. One that dies is started again.

import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseToken, planDatabase } from '../cli/parts/database-part.ts'
import { PartSupervisor } from '../cli/processes/part-supervisor.ts'
import { freePort } from '../cli/settings/ports.ts'

export interface DatabaseServer {
  readonly url: string
  readonly token: string
  /** The variables of a gateway that uses it. */
  readonly env: { DATABASE_URL: string; DATABASE_TOKEN: string }
  readonly pid: number
  /** Its data. */
  readonly folder: string
  /** Ends it and leaves its data. */
  stop(): Promise<void>
  close(): Promise<void>
}

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'database-'))
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const port = await freePort()
  mkdirSync(join(folder, 'logs'))
  const ignore = () => undefined
  const supervisor = new PartSupervisor(ignore, ignore, { maxMb: 5 })
  await supervisor.start(planDatabase(folder, port, pem))
  const [url, token] = [`http://127.0.0.1:${port}`, createDatabaseToken(pem)]
  return {
    url,
    token,
    env: { DATABASE_URL: url, DATABASE_TOKEN: token },
    get pid() {
      return supervisor.getPid('database') ?? 0
    },
    folder: join(folder, 'database-server'),
    stop: () => supervisor.stop(),
    async close() {
      await supervisor.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
