// The layout of one server in folders of a test's own: settings by `npm run setup`, a database, tables and rows; no edge, no host.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import { type Client, createClient } from '@libsql/client'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { databasePath } from '@msgnet/cli/data-folder/database-file.ts'
import { migrateEdge, migrateStoreFile } from '@msgnet/cli/migrate.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { deriveHostSealKeys } from '@msgnet/shared/seal-keys.ts'
import { expect } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from '../database-server.ts'

export interface Ended {
  status: number
  output: string
}

export interface ServerLayout {
  root: string
  etc: string
  data: string
  /** The edge's own database; unused where a server has it. */
  edgeFile: string
  hostFile: string
  readEnv(side: 'edge' | 'host'): NodeJS.Dict<string>
  /** Of the edge's database. */
  readAccess(): { url: string; token: string }
  /** Asks the edge's database, and has it open only meanwhile. */
  useDatabase<Value>(work: (database: Client) => Promise<Value>): Promise<Value>
  /** A command of cli/, with the options that say where this server is. */
  runScript(script: string, ...args: string[]): Promise<Ended>
  /** Empties both sides. */
  deleteData(): Promise<void>
  close(): Promise<void>
}

export async function runLocalScript(
  script: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const options = { env: { PATH: process.env.PATH ?? '', ...env }, timeout: 120_000 }
  return promisify(execFile)(process.execPath, [join(projectRoot, 'cli', script), ...args], options).then(
    ({ stdout }) => ({ status: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), output: `${stdout}${stderr}` }),
  )
}

/** `database`: a file of the edge, or a libSQL server. */
export async function createServerLayout(database: 'file' | 'server' = 'file'): Promise<ServerLayout> {
  const root = mkdtempSync(join(tmpdir(), 'server-'))
  const [etc, data] = [join(root, 'etc'), join(root, 'data')]
  const set = await runLocalScript('setup.ts', ['--folder', etc, '--domain', 'gateway.example'])
  if (set.status !== 0) throw new Error(set.output)
  const edgeEnv = join(etc, 'edge.env')
  for (const name of ['edge', 'host']) mkdirSync(join(data, name), { recursive: true })
  let server: DatabaseServer | undefined
  const setDatabase = async () => {
    await server?.close()
    if (database === 'server') server = await startDatabaseServer()
    const settings = readFileSync(edgeEnv, 'utf8')
      .replaceAll(/^DATABASE_.*\n?/gm, '')
      .trimEnd()
    const lines = Object.entries(server?.env ?? {}).map(([name, value]) => `${name}=${value}`)
    writeFileSync(edgeEnv, `${[settings, ...lines].join('\n')}\n`)
  }
  await setDatabase()
  const [edgeFile, hostFile] = [databasePath(join(data, 'edge')), join(data, 'host', 'host', 'host.db')]
  const readAccess = () => server ?? { url: pathToFileURL(edgeFile).href, token: '' }
  return {
    root,
    etc,
    data,
    edgeFile,
    hostFile,
    readAccess,
    readEnv: (side) => parseEnv(readFileSync(join(etc, `${side}.env`), 'utf8')),
    async useDatabase(work) {
      const { url, token } = readAccess()
      const client = createClient({ url, authToken: token, concurrency: 1 })
      try {
        return await work(client)
      } finally {
        client.close()
      }
    },
    runScript: (script, ...args) => runLocalScript(script, ['--folder', etc, '--data', data, ...args]),
    async deleteData() {
      for (const name of ['host', 'edge']) rmSync(join(data, name), { recursive: true, force: true })
      for (const name of ['edge', 'host']) mkdirSync(join(data, name))
      await setDatabase()
    },
    async close() {
      await server?.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const NOW = 1_795_000_000_000
/** It does not get small when it is compressed. */
const LARGE = randomBytes(200_000).toString('base64')

/** Two instances, one of them linked; sealed values, events, and a store with a ratchet, a message and a counter. */
export async function fillServerLayout(layout: ServerLayout): Promise<void> {
  await fillEdge(layout)
  await fillHost(layout)
}

const sealText = async (
  keys: string,
  purpose: Parameters<typeof createSealer>[1],
  text: string,
  context: string,
) => (await createSealer(keys, purpose)).seal(new TextEncoder().encode(text), context)

async function fillEdge({ readAccess, useDatabase, readEnv, edgeFile }: ServerLayout): Promise<void> {
  mkdirSync(join(edgeFile, '..'), { recursive: true })
  await migrateEdge(readAccess())
  const keys = readEnv('edge').SEAL_KEYS ?? ''
  const proxy = await sealText(keys, 'edge/proxy', 'http://proxy.example', 'proxy:one')
  const rows = [
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
      args: [`event ${n}`, n + 1, JSON.stringify({ text: n > 0 ? `text ${n}\n"quoted"` : LARGE }), NOW, NOW],
    })),
    {
      sql: `insert into audit (at, action, actor, actor_id, actor_name, target, address, request_id, outcome)
          values (?, 'instance.create', 'root', '', '', 'one', '127.0.0.1', 'r', 'done')`,
      args: [NOW],
    },
  ]
  await useDatabase((database) => database.batch(rows, 'write'))
}

async function fillHost({ readEnv, hostFile }: ServerLayout): Promise<void> {
  mkdirSync(join(hostFile, '..'), { recursive: true })
  await migrateStoreFile(hostFile)
  const hostKeys = await deriveHostSealKeys(readEnv('host').HOST_SEAL_KEYS ?? '', '')
  const store = new DatabaseSync(hostFile)
  store.exec(`pragma journal_mode = wal; insert into store_identity (one, id) values (1, 'the store');
    insert into sessions (instance, kind, epoch, wanted, status, jid) values ('one', 'msgnet', 3, 1, 'connected', '551190000@s.msgnet.net');
    insert into outbox (instance, report) values ('one', '{}'), ('one', '{}'); delete from outbox where n = 2;
    insert into messages (instance, messageid, chatid, at, from_me, unread, record) values ('one', 'm', 'c', 1, 0, 1, '{"text":"kept"}')`)
  store
    .prepare('insert into credentials (instance, kind, id, value) values (?, ?, ?, ?)')
    .run(
      'one',
      'creds',
      '',
      await sealText(hostKeys, 'host/credential', 'a ratchet', 'credential:one:creds:'),
    )
  store
    .prepare('update sessions set proxy = ?')
    .run(await sealText(hostKeys, 'host/proxy', 'http://proxy.example', 'proxy:one'))
  store.close()
}

/** All rows of both sides, for comparison. */
export async function readAll(layout: ServerLayout): Promise<Record<string, unknown[]>> {
  const { readAccess, useDatabase, edgeFile, hostFile } = layout
  const all: Record<string, unknown[]> = {}
  const names =
    "select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'libsql%'"
  if (!readAccess().url.startsWith('file:') || existsSync(edgeFile))
    await useDatabase(async (database) => {
      for (const row of (await database.execute(names)).rows)
        all[`edge ${row[0]}`] = (await database.execute(`select * from "${row[0]}"`)).rows.map((found) => ({
          ...found,
        }))
    })
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

/** Checks that `after` has all rows of `before` but the links of devices and their ratchets. */
export function expectRestored(after: Record<string, unknown[]>, before: Record<string, unknown[]>): void {
  const [found, expected] = [structuredClone(after), structuredClone(before)]
  const unlinked = { jid: '', status: 'disconnected', last_disconnect_reason: 'bad_session' }
  expected['host credentials'] = []
  for (const [table, change] of [
    ['edge instances', ({ jid }) => ({ ...unlinked, logged_in: 0, previous_number: jid.split('@')[0] })],
    ['host sessions', () => ({ ...unlinked, wanted: 0 })],
  ] satisfies [string, (row: { jid: string }) => object][])
    expected[table] = (expected[table] as { jid: string }[]).map((row) =>
      row.jid ? { ...row, ...change(row), last_disconnect: expect.any(Number) } : row,
    )
  for (const table of ['edge __drizzle_migrations', 'host __drizzle_migrations']) {
    expect(found[table]?.length).toBe(expected[table]?.length)
    delete found[table]
    delete expected[table]
  }
  expect(found).toEqual(expected)
}
