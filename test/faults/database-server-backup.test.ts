// Backup, restore, reseal and compact where DATABASE_URL names a libSQL server: it is asked over HTTP, and restored into only if it is empty.
// @module-tag slow

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createServerLayout,
  expectRestored,
  fillServerLayout,
  readAll,
  type ServerLayout,
} from './server-layout.ts'

let layout: ServerLayout
let backup = ''
let before: Record<string, unknown[]>

beforeAll(async () => {
  layout = await createServerLayout('server')
  await fillServerLayout(layout)
  backup = join(layout.root, 'backup')
  before = await readAll(layout)
})
afterAll(() => layout.close())

test('a backup of a database server is restored into an empty one only', async () => {
  expect((await layout.runScript('backup.ts', '--to', backup)).status).toBe(0)
  const refused = await layout.runScript('restore.ts', '--from', backup, '--only', 'edge')
  expect([refused.status, refused.output]).toEqual([
    1,
    expect.stringMatching(/^http\S+ has data already \(table \w+\).*\n$/),
  ])
  expect(await readAll(layout)).toEqual(before)
  await layout.deleteData()
  const { status, output } = await layout.runScript('restore.ts', '--from', backup)
  expect([status, output]).toEqual([0, expect.stringContaining('Devices have to be linked again.')])
  expectRestored(await readAll(layout), before)
  expect(existsSync(layout.edgeFile)).toBe(false)
})

test('a backup of a newer version is refused, and the server stays empty', async () => {
  const newer = join(layout.root, 'newer')
  await layout.useDatabase((database) => database.execute('alter table events add column later text'))
  expect((await layout.runScript('backup.ts', '--to', newer)).status).toBe(0)
  await layout.deleteData()
  const { status, output } = await layout.runScript('restore.ts', '--from', newer)
  expect([status, output]).toEqual([1, expect.stringContaining('The backup has a column "events.later"')])
  expect(await readAll(layout)).toEqual({})
  expect((await layout.runScript('restore.ts', '--from', backup)).status).toBe(0)
})

test('a server is resealed with the first key, and compacted only on its own machine', async () => {
  const file = join(layout.etc, 'edge.env')
  const fresh = `k2:${Buffer.alloc(32, 2).toString('base64')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace('SEAL_KEYS=k1', `SEAL_KEYS=${fresh},k1`))
  const { status, output } = await layout.runScript('reseal.ts')
  expect([status, output]).toEqual([0, expect.stringContaining('the older keys may be removed')])
  const proxies = (await readAll(layout))['edge proxies'] as { url: ArrayBuffer }[]
  expect(proxies.map(({ url }) => Buffer.from(url).subarray(2, 4).toString())).toEqual(['k2'])
  const refused = await layout.runScript('compact.ts')
  expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('compact it there')])
})
