// Secrets at rest: AES-256-GCM under SEAL_KEYS (`id:base64`, comma-separated). The first key seals, all of them open.

const IV_BYTES = 12

export class SealError extends Error {}
/** The key is at hand and the bytes are not what it sealed: they are damaged, or another row's. */
export class TornSeal extends SealError {}

export interface Sealer {
  /** How everything begins that the first key has sealed. */
  readonly mark: Uint8Array<ArrayBuffer>

  /** `context` is authenticated but not stored: what was sealed for one row does not open in another. */
  seal(plain: Uint8Array<ArrayBuffer>, context: string): Promise<Uint8Array<ArrayBuffer>>
  /** Throws SealError when the key is not at hand or the bytes were not sealed by it for this context. */
  open(sealed: Uint8Array<ArrayBuffer>, context: string): Promise<Uint8Array<ArrayBuffer>>
}

type Bytes = Uint8Array<ArrayBuffer>

/** AES-256-GCM under one key, the tag behind the ciphertext. `decrypt` throws for what it did not encrypt. */
export interface Gcm {
  encrypt(plain: Bytes, iv: Bytes, authenticated: Uint8Array): Bytes | Promise<Bytes>
  decrypt(body: Bytes, iv: Bytes, authenticated: Uint8Array): Bytes | Promise<Bytes>
}
export type MakeGcm = (key: Bytes) => Gcm | Promise<Gcm>

interface SealKey {
  id: string
  gcm: Gcm
}

const utf8 = new TextEncoder()
const PRINTABLE = /^[\x21-\x7e]{1,64}$/

/** Throws SealError naming what is wrong with the setting. `makeGcm`: where the runtime has better than WebCrypto. */
export async function makeSealer(sealKeys: string, makeGcm: MakeGcm = webGcm): Promise<Sealer> {
  const keys = await Promise.all(sealKeys.split(',').map((entry) => importKey(entry.trim(), makeGcm)))
  const first = keys[0]
  if (!first) throw new SealError('SEAL_KEYS is empty')
  const byId = new Map(keys.map((entry) => [entry.id, entry.gcm]))
  const name = utf8.encode(first.id)

  return {
    mark: Uint8Array.of(name.length, ...name),
    // Layout: one byte length of the key's id, the id, the IV, ciphertext with its tag.
    async seal(plain, context) {
      const id = utf8.encode(first.id)
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const body = await first.gcm.encrypt(plain, iv, utf8.encode(context))
      const sealed = new Uint8Array(1 + id.length + IV_BYTES + body.length)
      sealed[0] = id.length
      sealed.set(id, 1)
      sealed.set(iv, 1 + id.length)
      sealed.set(body, 1 + id.length + IV_BYTES)
      return sealed
    },
    async open(sealed, context) {
      const bodyAt = 1 + (sealed[0] ?? 0) + IV_BYTES
      const id = new TextDecoder().decode(sealed.subarray(1, bodyAt - IV_BYTES))
      const gcm = byId.get(id)
      if (!PRINTABLE.test(id)) throw new TornSeal(`sealed bytes for "${context}" are damaged`)
      if (!gcm) throw new SealError(`no seal key named "${id}" is configured`)
      const iv = sealed.subarray(bodyAt - IV_BYTES, bodyAt)
      try {
        return await gcm.decrypt(sealed.subarray(bodyAt), iv, utf8.encode(context))
      } catch {
        throw new TornSeal(`sealed bytes for "${context}" do not open with key "${id}"`)
      }
    },
  }
}

async function importKey(entry: string, makeGcm: MakeGcm): Promise<SealKey> {
  const at = entry.indexOf(':')
  const id = entry.slice(0, at)
  const bytes = Uint8Array.from(decodeBase64(entry.slice(at + 1)))
  if (!PRINTABLE.test(id) || at < 0 || bytes.length !== 32) {
    throw new SealError('SEAL_KEYS must be a comma-separated list of id:base64, each key 32 bytes')
  }
  return { id, gcm: await makeGcm(bytes) }
}

async function webGcm(bytes: Bytes): Promise<Gcm> {
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const params = (iv: Bytes, additionalData: Uint8Array) => ({ name: 'AES-GCM', iv, additionalData })
  return {
    async encrypt(plain, iv, authenticated) {
      return new Uint8Array(await crypto.subtle.encrypt(params(iv, authenticated), key, plain))
    },
    async decrypt(body, iv, authenticated) {
      return new Uint8Array(await crypto.subtle.decrypt(params(iv, authenticated), key, body))
    },
  }
}

function decodeBase64(text: string): number[] {
  try {
    return Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return []
  }
}
