// A Postgres and a Redis of a test's own, where the machine has the programs.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { createClient } from '@redis/client'
import postgres from 'postgres-js'
import { canRun } from './optional-programs.ts'
import { until } from './until.ts'

/** Debian has its programs in a folder for each version. */
const DEBIAN = '/usr/lib/postgresql'
const postgresFolders = [
  '/usr/local/bin',
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : []),
]
const postgresFolder = postgresFolders.find((folder) => canRun(join(folder, 'initdb'), ['--version']))

export const hasPostgres = postgresFolder !== undefined
export const hasRedis = canRun('redis-server', ['--version'])

/** The server refuses to be root. */
const NOBODY = 65_534
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

function makeServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'server-'))
  chmodSync(folder, 0o700)
  if (asNobody.uid) chownSync(folder, NOBODY, NOBODY)
  return folder
}

async function stopServer(child: ChildProcess, folder: string): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGINT')
  await closed
  rmSync(folder, { recursive: true, force: true })
}

/** `url`: of its owner. */
export async function startPostgres() {
  const folder = makeServerFolder()
  const data = join(folder, 'data')
  const run = (program: string) => join(postgresFolder ?? '', program)
  execFileSync(run('initdb'), ['-D', data, '-U', 'owner', '--auth=trust', '--no-sync'], {
    ...asNobody,
    stdio: 'ignore',
  })
  const port = await freePort()
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F']
  const child = spawn(run('postgres'), args, { ...asNobody, stdio: 'ignore' })
  const url = `postgres://owner@127.0.0.1:${port}/postgres`
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  await until(() => sql`SELECT 1`)
  return {
    port,
    sql,
    async close() {
      await sql.end()
      await stopServer(child, folder)
    },
  }
}

export async function startRedis() {
  const folder = makeServerFolder()
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const child = spawn('redis-server', args, { ...asNobody, stdio: 'ignore' })
  const client = createClient({ url: `redis://127.0.0.1:${port}` })
  // While it starts.
  client.on('error', () => undefined)
  await client.connect()
  return {
    port,
    client,
    async close() {
      await client.close()
      await stopServer(child, folder)
    },
  }
}
