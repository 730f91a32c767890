// Keys kept in memory beside the store: they never say anything else than the store does.

import { expect, test } from 'vitest'
import { cachedCredentials } from '../../session-host/store/cached-credentials.ts'
import type { CredentialStore } from '../../session-host/store/credentials.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const KIND = 'session'

/** A store whose reads and writes end when they are told to. */
function makeStore() {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  let reads = 0
  let hold: Promise<void> = Promise.resolve()
  let fails = false
  const store: CredentialStore = {
    async read(_, __, ids) {
      reads += ids.length
      const found = new Map(ids.flatMap((id) => (kept.has(id) ? [[id, kept.get(id) ?? bytes('')]] : [])))
      await hold
      return found
    },
    all: async () => new Map(kept),
    async write(_, changes) {
      await hold
      if (fails) throw new Error('the disk is full')
      for (const { id, value } of changes) value ? kept.set(id, value) : kept.delete(id)
    },
    forget: async () => undefined,
    clear: async () => kept.clear(),
  }
  return {
    kept,
    cached: cachedCredentials(store),
    reads: () => reads,
    fail() {
      fails = true
    },
    /** From here on every call waits; the answer lets them go. */
    pause() {
      const { promise, resolve } = Promise.withResolvers<void>()
      hold = promise
      return resolve
    },
  }
}

async function text(cached: CredentialStore, id: string): Promise<string | undefined> {
  const found = (await cached.read('a', KIND, [id])).get(id)
  return found && Buffer.from(found).toString()
}

test('what was read or written is not read again, and what is not there is not asked for again', async () => {
  const { cached, kept, reads } = makeStore()
  kept.set('old', bytes('one'))
  cached.begin('a')
  expect([await text(cached, 'old'), await text(cached, 'none')]).toEqual(['one', undefined])
  await cached.write('a', [{ kind: KIND, id: 'new', value: bytes('two') }])
  expect(await Promise.all(['old', 'new', 'none'].map((id) => text(cached, id)))).toEqual([
    'one',
    'two',
    undefined,
  ])
  expect(reads()).toBe(2)
})

test('a key that was forgotten is gone, and an instance that was cleared has none', async () => {
  const { cached } = makeStore()
  cached.begin('a')
  await cached.write('a', [
    { kind: KIND, id: 'one', value: bytes('1') },
    { kind: KIND, id: 'two', value: bytes('2') },
  ])
  await cached.write('a', [{ kind: KIND, id: 'one', value: null }])
  expect(await text(cached, 'one')).toBeUndefined()
  await cached.clear('a')
  expect(await text(cached, 'two')).toBeUndefined()
})

test('what another host wrote is seen by whoever connects next', async () => {
  const { cached, kept } = makeStore()
  cached.begin('a')
  await cached.write('a', [{ kind: KIND, id: 'one', value: bytes('ours') }])
  kept.set('one', bytes('theirs'))
  cached.begin('a')
  expect(await text(cached, 'one')).toBe('theirs')
})

test('what could not be written is not believed to be there', async () => {
  const { cached, fail } = makeStore()
  cached.begin('a')
  await cached.write('a', [{ kind: KIND, id: 'one', value: bytes('before') }])
  fail()
  const failed = cached.write('a', [{ kind: KIND, id: 'one', value: bytes('after') }])
  await expect(failed).rejects.toThrow('full')
  expect(await text(cached, 'one')).toBe('before')
})

test('a read that a write has overtaken is not kept', async () => {
  const { cached, kept, pause } = makeStore()
  kept.set('one', bytes('before'))
  cached.begin('a')
  const resume = pause()
  const slow = text(cached, 'one')
  const written = cached.write('a', [{ kind: KIND, id: 'one', value: bytes('after') }])
  resume()
  await Promise.all([slow, written])
  expect(await text(cached, 'one')).toBe('after')
})

test('a read of before is not kept by whoever connects meanwhile', async () => {
  const { cached, kept, pause } = makeStore()
  kept.set('one', bytes('ours'))
  cached.begin('a')
  const resume = pause()
  const slow = text(cached, 'one')
  kept.set('one', bytes('theirs'))
  cached.begin('a')
  resume()
  await slow
  expect(await text(cached, 'one')).toBe('theirs')
})
