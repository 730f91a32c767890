// Encrypts and decrypts files in their transport form: a separate key for each, and a shortened MAC at the end.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { hkdf } from '../crypto/ciphers.ts'

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

export type EncryptedFile = {
  key: Buffer
  bytes: Buffer
  /** The hashes of the file, and of its encrypted form. */
  sha256: Buffer
  encryptedSha256: Buffer
}

const MAC = 10
/** Kinds of files that do not belong to a message. */
export type EncryptedKind = MediaKind | 'app-state' | 'history' | 'group-history'

const PURPOSE: Record<EncryptedKind, string> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  'app-state': 'WhatsApp App State Keys',
  history: 'WhatsApp History Keys',
  'group-history': 'Group History',
}

function deriveMediaKeys(key: Uint8Array, kind: EncryptedKind) {
  const expanded = hkdf(key, 112, undefined, PURPOSE[kind])
  return { iv: expanded.subarray(0, 16), cipher: expanded.subarray(16, 48), mac: expanded.subarray(48, 80) }
}

export function encryptFile(file: Buffer, kind: EncryptedKind): EncryptedFile {
  const key = randomBytes(32)
  const { iv, cipher, mac } = deriveMediaKeys(key, kind)
  const aes = createCipheriv('aes-256-cbc', cipher, iv)
  const encrypted = Buffer.concat([aes.update(file), aes.final()])
  const tag = createHmac('sha256', mac).update(iv).update(encrypted).digest().subarray(0, MAC)
  const bytes = Buffer.concat([encrypted, tag])
  const hashBytes = (of: Buffer) => createHash('sha256').update(of).digest()
  return { key, bytes, sha256: hashBytes(file), encryptedSha256: hashBytes(bytes) }
}

/** The hashes of a file, computed while it streams. Throws when key or MAC are wrong. */
export async function hashFile(stored: AsyncIterable<Buffer>, key: Uint8Array, kind: MediaKind) {
  const { iv, cipher, mac } = deriveMediaKeys(key, kind)
  const aes = createDecipheriv('aes-256-cbc', cipher, iv)
  const hmac = createHmac('sha256', mac).update(iv)
  const plain = createHash('sha256')
  const whole = createHash('sha256')
  // The MAC is the last bytes, which are received only when the stream ends.
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of stored) {
    whole.update(chunk)
    const received = Buffer.concat([tail, chunk])
    const body = received.subarray(0, -MAC)
    tail = received.subarray(body.length)
    hmac.update(body)
    plain.update(aes.update(body))
  }
  if (tail.length < MAC || !hmac.digest().subarray(0, MAC).equals(tail)) throw new Error('a forged file')
  plain.update(aes.final())
  return { sha256: plain.digest(), encryptedSha256: whole.digest() }
}
