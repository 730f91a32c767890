// Files that were encrypted: opened when their seal and digest are right, and broken off when they are not.

import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createDecryptStream } from '@msgnet/session-host/driver/baileys/messages/file-decryption.ts'
import { expect, test } from 'vitest'

const iv = randomBytes(16)
const cipherKey = randomBytes(32)
const macKey = randomBytes(32)

function sealFile(plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  const mac = createHmac('sha256', macKey).update(iv).update(body).digest().subarray(0, 10)
  return Buffer.concat([body, mac])
}

function openFile(file: Buffer, sha256: Uint8Array, chunk: number): Promise<Buffer> {
  const chunks = Array.from({ length: Math.ceil(file.length / chunk) }, (_, at) =>
    file.subarray(at * chunk, (at + 1) * chunk),
  )
  return buffer(Readable.from(chunks).pipe(createDecryptStream({ iv, cipherKey, macKey, sha256 })))
}

const hashContent = (plain: Buffer) => createHash('sha256').update(plain).digest()

test.each([1, 7, 16, 4096])('a file that arrives in pieces of %i bytes is decrypted', async (chunk) => {
  const plain = randomBytes(5000)
  expect(await openFile(sealFile(plain), hashContent(plain), chunk)).toEqual(plain)
})

test('an empty file is decrypted', async () => {
  const plain = Buffer.alloc(0)
  expect(await openFile(sealFile(plain), hashContent(plain), 16)).toEqual(plain)
})

test('a changed byte, a missing end or another file breaks the stream', async () => {
  const plain = randomBytes(500)
  const changed = sealFile(plain)
  changed[40] = (changed[40] ?? 0) ^ 1
  await expect(openFile(changed, hashContent(plain), 64)).rejects.toThrow('the seal is broken')
  await expect(openFile(sealFile(plain).subarray(0, -16), hashContent(plain), 64)).rejects.toThrow()
  await expect(openFile(sealFile(plain), hashContent(randomBytes(500)), 64)).rejects.toThrow(
    'the digest differs',
  )
  await expect(openFile(Buffer.alloc(0), hashContent(plain), 64)).rejects.toThrow()
})
