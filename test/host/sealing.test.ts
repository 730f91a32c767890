// Two ways to the same cipher: what either has sealed the other opens, and neither opens anything else.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { nodeGcm } from '../../session-host/store/gcm.ts'
import { makeSealer, SealError, TornSeal } from '../../shared/seal.ts'

const keys = `a:${randomBytes(32).toString('base64')}`
const plain = new Uint8Array(Buffer.from('a ratchet'))
const ours = await makeSealer(keys, nodeGcm)
const webs = await makeSealer(keys)

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
  await expect(sealer.open(sealed, 'row 2')).rejects.toThrow(TornSeal)
  for (let at = 0; at < sealed.length; at++) {
    const damaged = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte))
    await expect(sealer.open(damaged, 'row 1'), `byte ${at}`).rejects.toThrow(SealError)
    await expect(sealer.open(sealed.slice(0, at), 'row 1'), `${at} bytes`).rejects.toThrow(SealError)
  }
  const stranger = await makeSealer(`b:${randomBytes(32).toString('base64')}`)
  await expect(sealer.open(await stranger.seal(plain, 'row 1'), 'row 1')).rejects.toThrow(
    'no seal key named "b"',
  )
})
