// Signatures are looked at: the library's own referee and ours agree on what is genuine and what is not.

import { createRequire } from 'node:module'
import { verifySignature } from '@msgnet/session-host/driver/baileys/patches/verify-signatures.ts'
import { expect, test } from 'vitest'

interface Referee {
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer }
  calculateSignature(privKey: Buffer, message: Buffer): Buffer
  verifySignature(pubKey: Buffer, message: Buffer, signature: Buffer): boolean
}
const libsignal = createRequire(import.meta.url)('libsignal/src/curve.js') as Referee

test('a genuine signature holds under both spellings of the key, and no other does', () => {
  for (let round = 0; round < 10; round += 1) {
    const { pubKey, privKey } = libsignal.generateKeyPair()
    const message = Buffer.from(`certificate ${round}`)
    const signature = libsignal.calculateSignature(privKey, message)
    expect(libsignal.verifySignature(pubKey, message, signature)).toBe(true)
    expect(verifySignature(pubKey, message, signature)).toBe(true)
    expect(verifySignature(pubKey.subarray(1), message, signature)).toBe(true)

    const changed = Buffer.from(signature)
    changed[round] = (changed[round] ?? 0) ^ 1
    expect(verifySignature(pubKey, message, changed)).toBe(false)
    expect(verifySignature(pubKey, Buffer.from('another'), signature)).toBe(false)
    expect(verifySignature(libsignal.generateKeyPair().pubKey, message, signature)).toBe(false)
  }
})

test('a malformed key or signature verifies nothing', () => {
  const { pubKey } = libsignal.generateKeyPair()
  const message = Buffer.from('message')
  for (const key of [
    Buffer.alloc(0),
    Buffer.alloc(31),
    Buffer.alloc(33),
    Buffer.alloc(32),
    Buffer.alloc(32, 255),
  ]) {
    expect(verifySignature(key, message, Buffer.alloc(64))).toBe(false)
  }
  for (const size of [0, 63, 64, 65]) expect(verifySignature(pubKey, message, Buffer.alloc(size))).toBe(false)
})
