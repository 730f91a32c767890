// The layout of one server in folders of a test's own: settings by `npm run setup`, a libSQL server, tables and rows; no edge, no host.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseEnv, promisify } from 'node:util'
import { type Client, createClient } from '@libsql/client/web'
import { projectRoot } from '../../local/build/root.ts'
import { migrateEdge, migrateStoreFile } from '../../local/migrate.ts'
import { databasePart } from '../../local/parts/database.ts'
import { makeCrew } from '../../local/processes/crew.ts'
import { freePort } from '../../local/settings/ports.ts'
import { makeSealer } from '../../shared/seal.ts'
import { hostSealKeys } from '../../shared/seal-keys.ts'

export interface Ended {
  status: number
  said: string
}

export interface ServerLayout {
  root: string
  etc: string
  data: string
  hostFile: string
  database: Client
  databaseUrl: string
  env(side: 'edge' | 'host'): NodeJS.Dict<string>
  /** A command of local/, with the options that say where this server is. */
  run(script: string, ...args: string[]): Promise<Ended>
  /** Ends the database, empties both sides, and starts an empty database at the same place. */
  loseData(): Promise<void>
  stopDatabase(): Promise<void>
  close(): Promise<void>
}

export async function runLocal(
  script: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const options = { env: { PATH: process.env.PATH ?? '', ...env }, timeout: 120_000 }
  return promisify(execFile)(process.execPath, [join(projectRoot, 'local', script), ...args], options).then(
    ({ stdout }) => ({ status: 0, said: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), said: `${stdout}${stderr}` }),
  )
}

export async function makeServerLayout(): Promise<ServerLayout> {
  const root = mkdtempSync(join(tmpdir(), 'server-'))
  const [etc, data] = [join(root, 'etc'), join(root, 'data')]
  const port = await freePort()
  const databaseUrl = `http://127.0.0.1:${port}`
  const set = await runLocal('setup.ts', [
    '--folder',
    etc,
    '--domain',
    'gateway.example',
    '--database',
    databaseUrl,
  ])
  if (set.status !== 0) throw new Error(set.said)
  for (const name of ['edge', 'host', 'logs']) mkdirSync(join(data, name), { recursive: true })
  const pem = readFileSync(join(etc, 'database-key.pem'), 'utf8')
  const start = async () => {
    const ignore = () => undefined
    const crew = makeCrew(ignore, ignore, { keepMb: 1 })
    await crew.start(databasePart(data, port, pem))
    return crew
  }
  let crew: Awaited<ReturnType<typeof start>> | undefined = await start()
  const stopDatabase = async () => {
    await crew?.stop()
    crew = undefined
  }
  const env = (side: 'edge' | 'host') => parseEnv(readFileSync(join(etc, `${side}.env`), 'utf8'))
  const access = { url: databaseUrl, token: env('edge').DATABASE_TOKEN ?? '' }
  const hostFile = join(data, 'host', 'host', 'host.db')
  return {
    ...{ root, etc, data, hostFile, databaseUrl, env },
    database: createClient({ url: access.url, authToken: access.token }),
    run: (script, ...args) => runLocal(script, ['--folder', etc, '--data', data, ...args]),
    async loseData() {
      await stopDatabase()
      for (const name of ['database', 'host', 'edge'])
        rmSync(join(data, name), { recursive: true, force: true })
      for (const name of ['edge', 'host']) mkdirSync(join(data, name))
      crew = await start()
    },
    stopDatabase,
    async close() {
      await stopDatabase()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const NOW = 1_795_000_000_000
/** It does not get small when it is compressed. */
const LARGE = randomBytes(200_000).toString('base64')

/** Two instances, one of them linked; what is sealed, events, and a store with a ratchet, a message and a counter. */
export async function fillServerLayout({
  database,
  databaseUrl,
  env,
  hostFile,
}: ServerLayout): Promise<void> {
  await migrateEdge({ url: databaseUrl, token: env('edge').DATABASE_TOKEN ?? '' })
  const edgeKeys = env('edge').SEAL_KEYS ?? ''
  const seal = async (
    keys: string,
    purpose: Parameters<typeof makeSealer>[1],
    text: string,
    context: string,
  ) => (await makeSealer(keys, purpose)).seal(new TextEncoder().encode(text), context)
  const proxy = await seal(edgeKeys, 'edge/proxy', 'http://proxy.example', 'proxy:one')
  await database.batch(
    [
      ...['one', 'two'].map((id) => ({
        sql: `insert into instances (id, kind, name, token_hash, jid, logged_in, created_at, updated_at)
          values (?, 'msgnet', 'Zoë 🦩', ?, ?, ?, ?, ?)`,
        args: [
          id,
          `hash of ${id}`,
          id === 'one' ? '551190000@s.msgnet.net' : '',
          Number(id === 'one'),
          NOW,
          NOW,
        ],
      })),
      { sql: 'insert into proxies (instance_id, enabled, url) values (?, 1, ?)', args: ['one', proxy] },
      ...Array.from({ length: 1200 }, (_, n) => ({
        sql: `insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status)
          values (?, 'one', ?, 'messages', 'one', ?, ?, ?, 'delivered')`,
        args: [
          `event ${n}`,
          n + 1,
          JSON.stringify({ text: n > 0 ? `text ${n}\n"quoted"` : LARGE }),
          NOW,
          NOW,
        ],
      })),
      {
        sql: `insert into audit (at, action, actor, actor_id, actor_name, target, address, request_id, outcome)
          values (?, 'instance.create', 'root', '', '', 'one', '127.0.0.1', 'r', 'done')`,
        args: [NOW],
      },
    ],
    'write',
  )
  mkdirSync(join(hostFile, '..'), { recursive: true })
  await migrateStoreFile(hostFile)
  const hostKeys = await hostSealKeys(env('host').HOST_SEAL_KEYS ?? '', '')
  const store = new DatabaseSync(hostFile)
  store.exec(`pragma journal_mode = wal; insert into store_identity (one, id) values (1, 'the store');
    insert into sessions (instance, kind, epoch, wanted, status, jid) values ('one', 'msgnet', 3, 1, 'connected', '551190000@s.msgnet.net');
    insert into outbox (instance, report) values ('one', '{}'), ('one', '{}'); delete from outbox where n = 2;
    insert into messages (instance, messageid, chatid, at, from_me, unread, record) values ('one', 'm', 'c', 1, 0, 1, '{"text":"kept"}')`)
  store
    .prepare('insert into credentials (instance, kind, id, value) values (?, ?, ?, ?)')
    .run('one', 'creds', '', await seal(hostKeys, 'host/credential', 'a ratchet', 'credential:one:creds:'))
  store
    .prepare('update sessions set proxy = ?')
    .run(await seal(hostKeys, 'host/proxy', 'http://proxy.example', 'proxy:one'))
  store.close()
}

/** All rows of both sides, for comparison. */
export async function readAll({ database, hostFile }: ServerLayout): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  const names =
    "select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'libsql%'"
  for (const row of (await database.execute(names)).rows)
    all[`edge ${row[0]}`] = (await database.execute(`select * from "${row[0]}"`)).rows.map((found) => ({
      ...found,
    }))
  if (!existsSync(hostFile)) return all
  const copy = `${hostFile}.read`
  for (const end of ['', '-wal']) if (existsSync(hostFile + end)) cpSync(hostFile + end, copy + end)
  const store = new DatabaseSync(copy)
  for (const { name } of store.prepare(names).all())
    all[`host ${name}`] = store.prepare(`select * from "${name}"`).all()
  store.close()
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
  return all
}
