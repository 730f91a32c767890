// A libSQL server of a test's own: a database that is a process, for gateways with DATABASE_URL. One that dies is started again.

import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseToken, planDatabase } from '@msgnet/cli/parts/database-part.ts'
import { PartSupervisor } from '@msgnet/cli/processes/part-supervisor.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'

export type DatabaseServer = Awaited<ReturnType<typeof startDatabaseServer>>

export async function startDatabaseServer() {
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
    /** The variables of a gateway that uses it. */
    env: { DATABASE_URL: url, DATABASE_TOKEN: token },
    get pid() {
      return supervisor.getPid('database') ?? 0
    },
    /** Its data. */
    folder: join(folder, 'database-server'),
    /** Ends it and leaves its data. */
    stop: () => supervisor.stop(),
    async close() {
      await supervisor.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
