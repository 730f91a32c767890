// Keys cached in memory: they never differ from the store.

import { CachedCredentials } from '@msgnet/session-host/store/cached-credentials.ts'
import type { CredentialStore } from '@msgnet/session-host/store/credential-store.ts'
import { expect, test } from 'vitest'

const toBytes = (text: string) => new Uint8Array(Buffer.from(text))
const KIND = 'session'

/** A store whose reads and writes end when the test ends them. */
function createStore() {
  const stored = new Map<string, Uint8Array<ArrayBuffer>>()
  let reads = 0
  let gate: Promise<void> = Promise.resolve()
  let fails = false
  const store: CredentialStore = {
    async read(_, __, ids) {
      reads += ids.length
      const found = new Map(
        ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id) ?? toBytes('')]] : [])),
      )
      await gate
      return found
    },
    readAll: async () => new Map(stored),
    async write(_, changes) {
      await gate
      if (fails) throw new Error('the disk is full')
      for (const { id, value } of changes) value ? stored.set(id, value) : stored.delete(id)
    },
    deleteLater: async () => undefined,
    deleteAll: async () => stored.clear(),
  }
  return {
    kept: stored,
    cached: new CachedCredentials(store),
    reads: () => reads,
    failWrites() {
      fails = true
    },
    /** From here on every call waits; the answer lets them go. */
    pauseCalls() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

async function readText(cached: CredentialStore, id: string): Promise<string | undefined> {
  const found = (await cached.read('a', KIND, [id])).get(id)
  return found && Buffer.from(found).toString()
}

test('keys that were read, written or found missing are not read again', async () => {
  const { cached, kept: stored, reads } = createStore()
  stored.set('old', toBytes('one'))
  cached.startGeneration('a')
  expect([await readText(cached, 'old'), await readText(cached, 'none')]).toEqual(['one', undefined])
  await cached.write('a', [{ kind: KIND, id: 'new', value: toBytes('two') }])
  expect(await Promise.all(['old', 'new', 'none'].map((id) => readText(cached, id)))).toEqual([
    'one',
    'two',
    undefined,
  ])
  expect(reads()).toBe(2)
})

test('a deleted key is gone, and a cleared instance has no keys', async () => {
  const { cached } = createStore()
  cached.startGeneration('a')
  await cached.write('a', [
    { kind: KIND, id: 'one', value: toBytes('1') },
    { kind: KIND, id: 'two', value: toBytes('2') },
  ])
  await cached.write('a', [{ kind: KIND, id: 'one', value: null }])
  expect(await readText(cached, 'one')).toBeUndefined()
  await cached.deleteAll('a')
  expect(await readText(cached, 'two')).toBeUndefined()
})

test('the next connection sees what another host wrote', async () => {
  const { cached, kept: stored } = createStore()
  cached.startGeneration('a')
  await cached.write('a', [{ kind: KIND, id: 'one', value: toBytes('ours') }])
  stored.set('one', toBytes('theirs'))
  cached.startGeneration('a')
  expect(await readText(cached, 'one')).toBe('theirs')
})

test('a failed write is not cached', async () => {
  const { cached, failWrites } = createStore()
  cached.startGeneration('a')
  await cached.write('a', [{ kind: KIND, id: 'one', value: toBytes('before') }])
  failWrites()
  const failed = cached.write('a', [{ kind: KIND, id: 'one', value: toBytes('after') }])
  await expect(failed).rejects.toThrow('full')
  expect(await readText(cached, 'one')).toBe('before')
})

test('a read that a write has overtaken is not cached', async () => {
  const { cached, kept: stored, pauseCalls } = createStore()
  stored.set('one', toBytes('before'))
  cached.startGeneration('a')
  const resume = pauseCalls()
  const slow = readText(cached, 'one')
  const written = cached.write('a', [{ kind: KIND, id: 'one', value: toBytes('after') }])
  resume()
  await Promise.all([slow, written])
  expect(await readText(cached, 'one')).toBe('after')
})

test('a read from before a new connection is not cached by it', async () => {
  const { cached, kept: stored, pauseCalls } = createStore()
  stored.set('one', toBytes('ours'))
  cached.startGeneration('a')
  const resume = pauseCalls()
  const slow = readText(cached, 'one')
  stored.set('one', toBytes('theirs'))
  cached.startGeneration('a')
  resume()
  await slow
  expect(await readText(cached, 'one')).toBe('theirs')
})

test('large keys push out others, also where they are few', async () => {
  const { cached, reads } = createStore()
  cached.startGeneration('a')
  const ids = Array.from({ length: 40 }, (_, n) => `key ${n}`)
  await cached.write(
    'a',
    ids.map((id) => ({ kind: KIND, id, value: new Uint8Array(2 ** 20) })),
  )
  await cached.read('a', KIND, ids.slice(-10))
  expect(reads()).toBe(0)
  await cached.read('a', KIND, ids.slice(0, 20))
  expect(reads()).toBe(20)
})
