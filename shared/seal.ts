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

interface SealKey {
  id: string
  key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

const utf8 = new TextEncoder()
const PRINTABLE = /^[\x21-\x7e]{1,64}$/

/** Throws SealError naming what is wrong with the setting. */
export async function makeSealer(sealKeys: string): Promise<Sealer> {
  const keys = await Promise.all(sealKeys.split(',').map((entry) => importKey(entry.trim())))
  const first = keys[0]
  if (!first) throw new SealError('SEAL_KEYS is empty')
  const byId = new Map(keys.map((entry) => [entry.id, entry.key]))
  const name = utf8.encode(first.id)

  return {
    mark: Uint8Array.of(name.length, ...name),
    // Layout: one byte length of the key's id, the id, the IV, ciphertext with its tag.
    async seal(plain, context) {
      const id = utf8.encode(first.id)
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const params = { name: 'AES-GCM', iv, additionalData: utf8.encode(context) }
      const body = new Uint8Array(await crypto.subtle.encrypt(params, first.key, plain))
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
      const key = byId.get(id)
      if (!PRINTABLE.test(id)) throw new TornSeal(`sealed bytes for "${context}" are damaged`)
      if (!key) throw new SealError(`no seal key named "${id}" is configured`)
      const iv = sealed.subarray(bodyAt - IV_BYTES, bodyAt)
      const params = { name: 'AES-GCM', iv, additionalData: utf8.encode(context) }
      try {
        return new Uint8Array(await crypto.subtle.decrypt(params, key, sealed.subarray(bodyAt)))
      } catch {
        throw new TornSeal(`sealed bytes for "${context}" do not open with key "${id}"`)
      }
    },
  }
}

async function importKey(entry: string): Promise<SealKey> {
  const at = entry.indexOf(':')
  const id = entry.slice(0, at)
  const bytes = Uint8Array.from(decodeBase64(entry.slice(at + 1)))
  if (!PRINTABLE.test(id) || at < 0 || bytes.length !== 32) {
    throw new SealError('SEAL_KEYS must be a comma-separated list of id:base64, each key 32 bytes')
  }
  return { id, key: await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']) }
}

function decodeBase64(text: string): number[] {
  try {
    return Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return []
  }
}
