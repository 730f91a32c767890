// The keys of a host whose own are missing, while its store cannot say what it was sealed with.

import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadHostKeys } from '@msgnet/cli/keys/host-keys.ts'
import { expect, onTestFinished, test } from 'vitest'

const sealKeys = `k1:${randomBytes(32).toString('base64')}`

function createDataFolder() {
  const dataDir = mkdtempSync(join(tmpdir(), 'unreadable-store-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  mkdirSync(join(dataDir, 'host'))
  const settings = { DATA_DIR: dataDir } as Parameters<typeof loadHostKeys>[0]
  return { dataDir, load: () => loadHostKeys(settings, sealKeys) }
}

test('a store that is no database gets no new keys, and the start says so', async () => {
  const { dataDir, load } = createDataFolder()
  writeFileSync(join(dataDir, 'host', 'host.db'), 'not a database, but as long as the head of one'.repeat(30))
  await expect(load()).rejects.toThrow(/host-seal-keys is missing, and .*host\.db cannot be read/)
  expect(readdirSync(dataDir)).toEqual(['host'])
})

test('before there is a store, or a table in it, keys are made', async () => {
  const { dataDir, load } = createDataFolder()
  writeFileSync(join(dataDir, 'host', 'host.db'), '')
  expect(await load()).toMatch(/^h1:/)
  rmSync(join(dataDir, 'host'), { recursive: true })
  rmSync(join(dataDir, 'host-seal-keys'))
  expect(await load()).toMatch(/^h1:/)
})
