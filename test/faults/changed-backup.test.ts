// A changed backup: a restore refuses it in one sentence, and writes nothing.
// @module-tag slow

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
  writeFileSync(file, '{"format":2}')
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
