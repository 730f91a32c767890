// Two ways to the same cipher: what either has sealed the other opens, and neither opens anything else.

import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createNodeGcm } from '@msgnet/shared/node/gcm.ts'
import { createSealer, DamagedSealError, SealError } from '@msgnet/shared/seal.ts'
import { deriveHostSealKeys, purposes } from '@msgnet/shared/seal-keys.ts'
import { expect, test } from 'vitest'

const keys = `a:${randomBytes(32).toString('base64')}`
const plain = new Uint8Array(Buffer.from('a ratchet'))
const ours = await createSealer(keys, 'host/credential', createNodeGcm)
const webs = await createSealer(keys, 'host/credential')

test.each([
  ['here', ours, webs],
  ['by WebCrypto', webs, ours],
])('what is sealed %s is opened there', async (_, sealer, other) => {
  expect(await other.open(await sealer.seal(plain, 'row 1'), 'row 1')).toEqual(plain)
  const empty = new Uint8Array()
  expect(await other.open(await sealer.seal(empty, 'row 1'), 'row 1')).toEqual(empty)
})

test.each([
  ['here', ours],
  ['by WebCrypto', webs],
])('neither another row, nor damage, nor another key is opened %s', async (_, sealer) => {
  const sealed = await sealer.seal(plain, 'row 1')
  await expect(sealer.open(sealed, 'row 2')).rejects.toThrow(DamagedSealError)
  for (let at = 0; at < sealed.length; at++) {
    const damaged = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte))
    await expect(sealer.open(damaged, 'row 1'), `byte ${at}`).rejects.toThrow(SealError)
    await expect(sealer.open(sealed.slice(0, at), 'row 1'), `${at} bytes`).rejects.toThrow(SealError)
  }
  const stranger = await createSealer(`b:${randomBytes(32).toString('base64')}`, 'host/credential')
  await expect(sealer.open(await stranger.seal(plain, 'row 1'), 'row 1')).rejects.toThrow(
    'no seal key named "b"',
  )
})

test('each purpose has its key, by HKDF with SHA-256, and it opens nothing of another purpose and reveals no other key', async () => {
  const raw = randomBytes(32)
  const list = `a:${raw.toString('base64')}`
  const derived = purposes.map((purpose) =>
    Buffer.from(hkdfSync('sha256', raw, '', `msgnet/${purpose}`, 32)).toString('base64'),
  )
  expect(new Set(derived).size).toBe(purposes.length)
  const host = Buffer.from(hkdfSync('sha256', raw, '', 'msgnet/host', 32)).toString('base64')
  expect(await deriveHostSealKeys('', list)).toBe(`a:${host}`)
  expect(derived).not.toContain(host)

  const sealers = await Promise.all(purposes.map((purpose) => createSealer(list, purpose)))
  for (const [at, sealer] of sealers.entries()) {
    const sealed = await sealer.seal(plain, 'row 1')
    // The layout's version, the length of the id, the id, the IV, ciphertext, tag.
    const [head, iv, body, tag] = [
      sealed.slice(0, 3),
      sealed.slice(3, 15),
      sealed.slice(15, -16),
      sealed.slice(-16),
    ]
    expect([...head]).toEqual([1, 1, 'a'.charCodeAt(0)])
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(derived[at] ?? '', 'base64'), iv)
    decipher.setAAD(Buffer.from('row 1')).setAuthTag(tag)
    expect(Buffer.concat([decipher.update(body), decipher.final()])).toEqual(Buffer.from(plain))
    for (const other of sealers) {
      if (other === sealer) expect(await other.open(sealed, 'row 1')).toEqual(plain)
      else await expect(other.open(sealed, 'row 1')).rejects.toThrow(DamagedSealError)
    }
  }
})

test("a host's own keys come first, and the first of two with one name is used", async () => {
  const own = `a:${randomBytes(32).toString('base64')}`
  const other = `b:${randomBytes(32).toString('base64')}`
  const list = (await deriveHostSealKeys(own, `${keys},${other}`)).split(',')
  expect(list[0]).toBe(own)
  expect(list.map((entry) => entry.split(':')[0])).toEqual(['a', 'b'])
  expect(list[1]).not.toBe(other)
})
