// Files of scheduled messages in the store of a host, on a disk that is almost full.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScheduledFiles } from '@msgnet/session-host/scheduled/scheduled-files.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { MIB } from '@msgnet/shared/contract/limits.ts'
import { createNodeGcm } from '@msgnet/shared/node/gcm.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { afterAll, expect, test } from 'vitest'

const dataDir = mkdtempSync(join(tmpdir(), 'scheduled-files-'))
const store = await openStore(join(dataDir, 'host.db'), () => undefined)
const fenced = new FencedStore(store, { runs: true }, '')
const instance = crypto.randomUUID()
fenced.setEpoch(instance, 1)
const keys = `test:${Buffer.alloc(32, 1).toString('base64')}`
const sealer = await createSealer(keys, 'host/scheduled-file', createNodeGcm)

afterAll(async () => {
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

function storeBytes(bytes: number, freeBytes: number): Promise<number | undefined> {
  const files = new ScheduledFiles(fenced, sealer, async () => freeBytes)
  const name = { instance, messageid: crypto.randomUUID() }
  return files.storeFile(name, new Blob([new Uint8Array(bytes)]).stream(), 64 * MIB)
}

test('a file of a scheduled message takes at most half of what the disk has for such files', async () => {
  expect(await storeBytes(2 * MIB, 1024 * MIB)).toBe(2 * MIB)
  expect(await storeBytes(2 * MIB, 260 * MIB)).toBe(2 * MIB)
  expect(await storeBytes(2 * MIB, 259 * MIB)).toBeUndefined()
  expect(await storeBytes(1, 200 * MIB)).toBeUndefined()
})
