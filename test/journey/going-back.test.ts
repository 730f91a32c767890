// Going back to an older version: if it cannot use what a newer one has changed, its start says so in one sentence.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../session-host/store/store.ts'
import { formats } from '../../shared/format.ts'
import { startWorld } from '../world.ts'

const local = join(import.meta.dirname, '..', '..', 'cli')

function run(script: string, env: Record<string, string>) {
  const args = [join(local, script)]
  const options = {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
    timeout: 45_000,
  } as const
  const { status, stderr } = spawnSync(process.execPath, args, options)
  return { status, said: stderr.trim() }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'going-back-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a data folder of a newer format is refused with the version that it needs', () => {
  const folder = makeFolder()
  writeFileSync(join(folder, 'format'), `${formats.folder + 1} 7.0.0\n`)
  const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
  expect(run('start.ts', { DATA_DIR: folder, ...ports })).toEqual({
    status: 1,
    said: `A newer version has changed ${folder}: start version 7.0.0 or a later one, or restore a backup from before.`,
  })
})

test('a host\u2019s store of a newer format is refused, one of this format is not', async () => {
  const file = join(makeFolder(), 'host', 'host.db')
  mkdirSync(join(file, '..'))
  const raise = (format: number) => {
    const store = new DatabaseSync(file)
    store.exec(`PRAGMA user_version = ${format}`)
    store.close()
  }
  const failed = () => undefined
  raise(formats.host)
  const store = await openStore(file, failed)
  await store.close()
  raise(formats.host + 1)
  await expect(openStore(file, failed)).rejects.toThrow('a newer version has changed the store')
})

test('an edge\u2019s database of a newer format is refused, newer tables alone are not', async () => {
  const world = await startWorld()
  try {
    const env = { DATABASE_URL: world.run.databaseUrl }
    await world.database('alter table events add a_column_of_tomorrow text')
    expect(run('migrate.ts', env).status).toBe(0)
    await world.database(`PRAGMA user_version = ${formats.edge + 1}`)
    const { status, said } = run('migrate.ts', env)
    expect(status).toBe(1)
    expect(said).toMatch(/^A newer version has changed the database .*$/)
  } finally {
    await world.close()
  }
})
