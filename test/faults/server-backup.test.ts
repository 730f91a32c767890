// Backup, restore, reseal and compact on the layout of one server: all of it or a sentence, and nothing but signed rows.
// @module-tag slow

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createServerLayout,
  expectRestored,
  fillServerLayout,
  readAll,
  type ServerLayout,
} from './server-layout.ts'

let server: ServerLayout
let backup = ''
let before: Record<string, unknown[]>

beforeAll(async () => {
  server = await createServerLayout()
  await fillServerLayout(server)
  backup = join(server.root, 'backup')
  before = await readAll(server)
}, 60_000)
afterAll(() => server.close())

test('a backup of one server contains both sides, records its time in both data folders, and signs each part', async () => {
  const { status, output } = await server.runScript('backup.ts', '--to', backup)
  expect([status, output]).toEqual([
    0,
    expect.stringContaining(`rows and the host’s store are in ${backup}.`),
  ])
  expect(output).toContain('Store these keys elsewhere: k1, h1.')
  const { madeAt, parts } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
  expect(parts).toMatchObject({ edge: { keys: ['k1'] }, host: { keys: ['h1'] } })
  for (const side of ['edge', 'host'])
    expect(JSON.parse(readFileSync(join(server.data, side, 'last-backup.json'), 'utf8'))).toEqual({
      at: madeAt,
      covers: ['edge', 'host'],
    })
  expect(readdirSync(backup).sort()).toEqual(['edge.ndjson.gz', 'host.ndjson.gz', 'manifest.json'])
  expect(gunzipSync(readFileSync(join(backup, 'host.ndjson.gz'))).toString()).not.toContain('credentials')
  expect((await server.runScript('backup.ts', '--to', backup)).output).toContain('exists already')
})

const findHalfFolder = () => join(server.root, 'half')

describe('a side that is not there', () => {
  test('is left out only if that is asked for', async () => {
    const to = findHalfFolder()
    renameSync(server.hostFile, `${server.hostFile}.away`)
    for (const script of ['backup.ts', 'reseal.ts', 'compact.ts']) {
      const { status, output } = await server.runScript(
        script,
        ...(script === 'backup.ts' ? ['--to', to] : []),
      )
      expect([script, status, output]).toEqual([script, 1, expect.stringContaining('use --only edge')])
    }
    expect(existsSync(to)).toBe(false)
    const { status, output } = await server.runScript('backup.ts', '--to', to, '--only', 'edge')
    expect([status, output]).toEqual([0, expect.stringContaining('No store of a host is in it')])
    rmSync(to, { recursive: true })
    renameSync(`${server.hostFile}.away`, server.hostFile)
  })

  test('may be the edge’s too', async () => {
    renameSync(server.edgeFile, `${server.edgeFile}.away`)
    for (const script of ['backup.ts', 'reseal.ts', 'compact.ts']) {
      const { status, output } = await server.runScript(
        script,
        ...(script === 'backup.ts' ? ['--to', findHalfFolder()] : []),
      )
      expect([script, status, output]).toEqual([script, 1, expect.stringContaining('use --only host')])
    }
    expect(existsSync(findHalfFolder())).toBe(false)
    renameSync(`${server.edgeFile}.away`, server.edgeFile)
  })

  test('is not missed on the machine of a host, where only its settings are', async () => {
    const to = findHalfFolder()
    const edge = join(server.etc, 'edge.env')
    renameSync(edge, `${edge}.away`)
    const refused = await server.runScript('backup.ts', '--to', to)
    expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('use --only host')])
    const { status, output } = await server.runScript('backup.ts', '--to', to, '--only', 'host')
    expect([status, output]).toEqual([0, expect.stringContaining('The edge’s database is not in it')])
    rmSync(to, { recursive: true })
    renameSync(`${edge}.away`, edge)
  })
})

test('a backup that fails leaves no folder', async () => {
  const to = join(server.root, 'full')
  // Nothing can be written to a folder that is a file.
  writeFileSync(join(server.root, 'file'), '')
  const { status, output } = await server.runScript('backup.ts', '--to', join(server.root, 'file', 'in'))
  expect([status, output.split('\n').length]).toEqual([1, 2])
  const edge = join(server.etc, 'edge.env')
  const text = readFileSync(edge, 'utf8')
  writeFileSync(edge, `${text}DATABASE_URL=http://127.0.0.1:1\n`)
  const refused = await server.runScript('backup.ts', '--to', to)
  writeFileSync(edge, text)
  expect([refused.status, refused.output]).toEqual([
    1,
    expect.stringMatching(/^The database cannot be used .*\n$/),
  ])
  expect(readdirSync(server.root).filter((name) => name.startsWith('full'))).toEqual([])
})

test('a trial restore does not touch the running gateway', async () => {
  const { status, output } = await server.runScript('restore.ts', '--from', backup, '--check')
  expect([status, output]).toEqual([
    0,
    expect.stringMatching(/^The backup of \S+ can be restored\. Nothing was changed\.\n$/),
  ])
  expect(await readAll(server)).toEqual(before)
})

test('a backup without enough free space fails with one sentence and leaves no folder', async () => {
  const to = join(server.root, 'large')
  const script = join(projectRoot, 'cli', 'backup.ts')
  const words = [process.execPath, script, '--folder', server.etc, '--data', server.data, '--to', to]
  // Blocks of 1 KiB that a file may have: a disk that is full answers alike.
  const ended = spawnSync('bash', ['-c', 'ulimit -f 100; exec "$@"', 'bash', ...words], { encoding: 'utf8' })
  expect([ended.status, ended.stderr]).toEqual([1, expect.stringMatching(/^The disk is full.*\n$/)])
  expect(readdirSync(server.root).filter((name) => name.startsWith('large'))).toEqual([])
})

test('the newest backups in a folder stay, older ones are deleted', async () => {
  const into = join(server.root, 'daily')
  for (const day of ['2026-01-01T00-00-00Z', '2026-01-02T00-00-00Z', '2026-01-03T00-00-00Z', 'notes'])
    cpSync(backup, join(into, day), { recursive: true })
  const { status } = await server.runScript('backup.ts', '--into', into, '--keep', '2')
  expect(status).toBe(0)
  const left = readdirSync(into).sort()
  expect(left).toEqual(['2026-01-03T00-00-00Z', expect.stringMatching(/^2\d{3}-.+Z$/), 'notes'])
})

describe('a restore', () => {
  test('onto a database with rows, or over a store, is refused in a sentence and writes nothing', async () => {
    const whole = await server.runScript('restore.ts', '--from', backup)
    expect([whole.status, whole.output]).toEqual([1, expect.stringContaining('exists already')])
    const edge = await server.runScript('restore.ts', '--from', backup, '--only', 'edge')
    expect([edge.status, edge.output]).toEqual([1, expect.stringMatching(/^\S+edge\.db exists already.*\n$/)])
    expect(await readAll(server)).toEqual(before)
  })

  test('brings every row back but the links of devices and their ratchets', async () => {
    await server.deleteData()
    const { status, output } = await server.runScript('restore.ts', '--from', backup)
    expect([status, output]).toEqual([0, expect.stringContaining('Devices have to be linked again.')])
    const after = await readAll(server)
    expectRestored(after, before)
    const store = new DatabaseSync(server.hostFile)
    const { n } =
      store.prepare("insert into outbox (instance, report) values ('one', '{}') returning n").get() ?? {}
    store.close()
    expect(n).toBe(3)
    before = await readAll(server)
  })
})

describe('a rotation of keys', () => {
  const changeEnv = (side: 'edge' | 'host', from: string, to: string) => {
    const file = join(server.etc, `${side}.env`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  }
  const createKey = (name: string) => `${name}:${Buffer.alloc(32, name).toString('base64')}`

  test('seals both sides anew, and does not say that a key may go while one was left out', async () => {
    changeEnv('edge', 'SEAL_KEYS=k1', `SEAL_KEYS=${createKey('k2')},k1`)
    changeEnv('host', 'HOST_SEAL_KEYS=h1', `HOST_SEAL_KEYS=${createKey('h2')},h1`)
    for (const only of ['edge', 'host']) {
      const { status, output } = await server.runScript('reseal.ts', '--only', only)
      expect([status, output]).toEqual([0, expect.stringContaining('remove no key')])
    }
    const { status, output } = await server.runScript('reseal.ts')
    expect([status, output]).toEqual([0, expect.stringContaining('the older keys may be removed')])
    const all = await readAll(server)
    const readMark = (value: unknown) =>
      Buffer.from(value as Uint8Array)
        .subarray(2, 4)
        .toString()
    expect((all['edge proxies'] as { url: unknown }[]).map(({ url }) => readMark(url))).toEqual(['k2'])
    expect((all['host sessions'] as { proxy: unknown }[]).map(({ proxy }) => readMark(proxy))).toEqual(['h2'])
  })
})

test('restoring a backup of a newer version is refused and undone', async () => {
  const [rotated, newer] = [join(server.root, 'rotated'), join(server.root, 'newer')]
  expect((await server.runScript('backup.ts', '--to', rotated)).status).toBe(0)
  await server.useDatabase((database) => database.execute('alter table events add column later text'))
  expect((await server.runScript('backup.ts', '--to', newer)).status).toBe(0)
  await server.deleteData()
  const { status, output } = await server.runScript('restore.ts', '--from', newer)
  expect([status, output]).toEqual([
    1,
    expect.stringMatching(/^The backup has a column "events.later", which.*\n$/),
  ])
  expect(await readAll(server)).toEqual({})
  for (const file of [server.edgeFile, server.hostFile]) expect(existsSync(file)).toBe(false)
  expect((await server.runScript('restore.ts', '--from', rotated)).status).toBe(0)
})

test('compact refuses files in use, and rewrites both sides otherwise', async () => {
  const [edge, host] = [new DatabaseSync(server.edgeFile), new DatabaseSync(server.hostFile)]
  edge.exec("pragma journal_mode = wal; delete from events where payload like '%text 7\\n%'")
  host.exec("delete from messages where record like '%kept%'")
  host.close()
  const used = await server.runScript('compact.ts')
  expect([used.status, used.output]).toEqual([1, expect.stringMatching(/is in use: stop what uses it first/)])
  edge.close()
  const { status, output } = await server.runScript('compact.ts')
  expect([status, output]).toEqual([0, expect.stringMatching(/^Compacted: \S+edge.db, \S+host.db\.\n$/)])
  expect(readFileSync(server.hostFile).includes('{"text":"kept"}')).toBe(false)
  expect(readFileSync(server.edgeFile).includes('{"text":"text 7\\n')).toBe(false)
  expect(readFileSync(server.edgeFile).includes('{"text":"text 8\\n')).toBe(true)
})
