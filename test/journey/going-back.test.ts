// Data of another version: if this one cannot use what a newer one changed or a development version made, its start says so in one sentence.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { formats } from '@msgnet/shared/data-formats.ts'
import { expect, onTestFinished, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'

const local = join(import.meta.dirname, '..', '..', 'cli')

function runScript(script: string, env: Record<string, string>) {
  const args = [join(local, script)]
  const options = {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
    timeout: 45_000,
  } as const
  const { status, stderr } = spawnSync(process.execPath, args, options)
  return { status, output: stderr.trim() }
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'going-back-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a data folder of a newer format is refused in a sentence', () => {
  const folder = createFolder()
  writeFileSync(join(folder, 'format'), `${formats.folder + 1}\n`)
  const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
  expect(runScript('start.ts', { DATA_DIR: folder, ...ports })).toEqual({
    status: 1,
    output: `A newer version has changed ${folder}: start that version again, or restore a backup from before.`,
  })
})

test('a host\u2019s store of a newer format is refused, one of this format is not', async () => {
  const file = join(createFolder(), 'host', 'host.db')
  mkdirSync(join(file, '..'))
  const raiseFormat = (format: number) => {
    const store = new DatabaseSync(file)
    store.exec(`PRAGMA user_version = ${format}`)
    store.close()
  }
  const startInVain = () => undefined
  raiseFormat(formats.host)
  const store = await openStore(file, startInVain)
  await store.close()
  raiseFormat(formats.host + 1)
  await expect(openStore(file, startInVain)).rejects.toThrow('a newer version has changed the store')
})

test('a database and a store from before the first release are refused', async () => {
  const file = join(createFolder(), 'host', 'host.db')
  mkdirSync(join(file, '..'))
  const database = new DatabaseSync(file)
  database.exec(`CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
    INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of its tables', 1795415882831);
    CREATE TABLE hosts (id text PRIMARY KEY NOT NULL); PRAGMA user_version = 1`)
  database.close()
  const advice =
    'was made before the first release, and this version cannot use it: start with an empty one (a new DATA_DIR). What is to be kept, export with the version that made it'
  expect(runScript('migrate.ts', { DATABASE_URL: pathToFileURL(file).href })).toEqual({
    status: 1,
    output: `The database ${file} ${advice}.`,
  })
  await expect(openStore(file, () => undefined)).rejects.toThrow(`the store ${advice}`)
})

test('an edge\u2019s database of a newer format is refused, newer tables alone are not', async () => {
  const world = await borrowWorld()
  try {
    const env = { DATABASE_URL: world.run.databaseUrl }
    await world.queryDatabase('alter table events add a_column_of_tomorrow text')
    expect(runScript('migrate.ts', env).status).toBe(0)
    await world.queryDatabase(`PRAGMA user_version = ${formats.edge + 1}`)
    const { status, output } = runScript('migrate.ts', env)
    expect(status).toBe(1)
    expect(output).toMatch(/^A newer version has changed the database .*$/)
  } finally {
    await world.close()
  }
})
