// A changed or unsigned backup: a restore refuses it in one sentence, and writes nothing.

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServerLayout, fillServerLayout, readAll, type ServerLayout } from './server-layout.ts'

let server: ServerLayout
let backup = ''
let other = ''
let changed = ''

beforeAll(async () => {
  server = await createServerLayout()
  await fillServerLayout(server)
  backup = join(server.root, 'backup')
  other = join(server.root, 'other')
  for (const to of [backup, other]) expect((await server.runScript('backup.ts', '--to', to)).status).toBe(0)
  await server.deleteData()
}, 60_000)
afterAll(() => server.close())

beforeEach(() => {
  changed = join(server.root, 'changed')
  rmSync(changed, { recursive: true, force: true })
  cpSync(backup, changed, { recursive: true })
})

const restoreInVain = async (...args: string[]) => {
  const { status, output } = await server.runScript('restore.ts', '--from', changed, ...args)
  expect(status).toBe(1)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(await readAll(server)).toEqual({})
  for (const side of ['edge', 'host'])
    expect(readdirSync(join(server.data, side)).filter((name) => name !== 'lock')).toEqual([])
  return output
}

test('a backup with a truncated file is refused', async () => {
  truncateSync(join(changed, 'edge.ndjson.gz'), 200)
  expect(await restoreInVain()).toContain('edge.ndjson.gz is not as it was')
})

test('a backup with a changed row is refused', async () => {
  const file = join(changed, 'host.ndjson.gz')
  writeFileSync(file, gzipSync(gunzipSync(readFileSync(file)).toString().replace('kept', 'tepk')))
  expect(await restoreInVain()).toContain('host.ndjson.gz is not as it was')
})

test('a backup with a changed manifest is refused', async () => {
  const file = join(changed, 'manifest.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"rows": \d+/, '"rows": 7'))
  expect(await restoreInVain()).toContain('its manifest was changed')
  writeFileSync(file, '{"format":3}')
  expect(await restoreInVain()).toContain('is not a manifest')
})

test('a backup with a part of another backup is refused', async () => {
  const { parts } = JSON.parse(readFileSync(join(other, 'manifest.json'), 'utf8'))
  const manifest = JSON.parse(readFileSync(join(changed, 'manifest.json'), 'utf8'))
  cpSync(join(other, 'host.ndjson.gz'), join(changed, 'host.ndjson.gz'))
  writeFileSync(
    join(changed, 'manifest.json'),
    JSON.stringify({ ...manifest, parts: { ...manifest.parts, host: parts.host } }),
  )
  expect(await restoreInVain()).toContain('its manifest was changed')
})

test.each(['edge.ndjson.gz', 'manifest.json'])(
  'a backup whose %s is a link or a folder is refused',
  async (name) => {
    rmSync(join(changed, name))
    symlinkSync(join(backup, name), join(changed, name))
    expect(await restoreInVain()).toContain('it is a link')
    rmSync(join(changed, name))
    mkdirSync(join(changed, name))
    expect(await restoreInVain()).toContain('is not a regular file')
  },
)

test('a backup is refused with another key of the same name, or without the key', async () => {
  const file = join(server.etc, 'edge.env')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/k1:.{8}/, 'k1:AAAAAAAA'))
  expect(await restoreInVain()).toContain('The key "k1" is not the one that signed')
  writeFileSync(file, text.replace('k1:', 'k2:'))
  expect(await restoreInVain()).toContain('These keys are missing: k1.')
  writeFileSync(file, text)
})

test('an unsigned backup of an earlier version is refused; with the option only its rows are restored', async () => {
  restorePrevious(changed)
  expect(await restoreInVain()).toContain('use --unsigned')
  const edge = readFileSync(join(changed, 'edge.db'))
  truncateSync(join(changed, 'edge.db'), 8192)
  expect(await restoreInVain('--unsigned')).toContain('edge.db is damaged')
  writeFileSync(join(changed, 'edge.db'), edge)
  const { status, output } = await server.runScript('restore.ts', '--from', changed, '--unsigned')
  expect([status, output]).toEqual([0, expect.stringContaining('Restored the backup')])
  const all = await readAll(server)
  expect(all['edge admin_tokens']).toEqual([])
  expect(all['edge instances']).toMatchObject([{ id: 'one', name: 'kept' }])
  const schema = "select name from sqlite_master where type in ('trigger', 'view') order by name"
  const found = await server.useDatabase((database) => database.execute(schema))
  expect(found.rows.map((row) => row[0])).toEqual(['audit_is_not_changed', 'audit_is_not_shortened'])
  await server.deleteData()
})

/** As earlier versions wrote it: SQLite files, here with a trigger that makes an admin token, a view and a changed table. */
function restorePrevious(folder: string): void {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  const at = 1_795_000_000_000
  const edge = new DatabaseSync(join(folder, 'edge.db'))
  edge.exec(`create table instances (id text primary key, kind text, name text, token_hash text, jid text, created_at integer, updated_at integer);
    create table admin_tokens (id text, name text, scope text, token_hash text, created_at integer);
    create table __drizzle_migrations (id integer primary key, hash text, created_at numeric);
    insert into __drizzle_migrations values (1, 'x', 9999999999999);
    insert into instances values ('one', 'msgnet', 'kept', 'h', '5511@s', ${at}, ${at});
    create view events as select 'planted' as id;
    create trigger planted after insert on instances begin insert into admin_tokens values ('t', 'planted', 'admin', 'hash', 1); end;
    create table filler (text text);
    drop table filler`)
  edge.close()
  const host = new DatabaseSync(join(folder, 'host.db'))
  host.exec(`create table sessions (instance text primary key, kind text, epoch integer, jid text);
    insert into sessions values ('one', 'msgnet', 1, '5511@s');
    create table credentials (instance text, kind text, id text, value blob);
    insert into credentials values ('one', 'creds', '', x'00')`)
  host.close()
  const manifest = {
    madeAt: '2026-11-22T00:00:00.000Z',
    rows: 2,
    hostStore: true,
    sealKeys: ['k1'],
    hostSealKeys: ['h1'],
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}
