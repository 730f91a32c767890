// Seals secrets at rest with AES-256-GCM under the key of their purpose. The first key of a list seals; all of them open.

import { type Bytes, deriveKey, isKeyId, type Purpose, parseSealKeys, SealError } from './seal-keys.ts'

export { type Purpose, SealError } from './seal-keys.ts'

const IV_BYTES = 12
/** First byte of sealed data: the version of its layout. */
const LAYOUT = 1
const ID_AT = 2

/** The key is available, but it did not seal these bytes: they are damaged or belong to another row. */
export class DamagedSealError extends SealError {}

/** AES-256-GCM under one key, the tag after the ciphertext. `decrypt` throws for bytes that this key did not encrypt. */
export interface Gcm {
  encrypt(plain: Bytes, iv: Bytes, authenticated: Uint8Array): Bytes | Promise<Bytes>
  decrypt(body: Bytes, iv: Bytes, authenticated: Uint8Array): Bytes | Promise<Bytes>
}
export type CreateGcm = (key: Bytes) => Gcm | Promise<Gcm>

const utf8 = new TextEncoder()

/** The first bytes of everything that the key of this id has sealed. */
export function toKeyMark(id: string): Bytes {
  const name = utf8.encode(id)
  return Uint8Array.of(LAYOUT, name.length, ...name)
}

export class Sealer {
  /** The first bytes of everything that the first key has sealed. */
  readonly mark: Bytes
  readonly #first: Gcm
  readonly #ciphers: Map<string, Gcm>

  /** `ciphers` by the ids of their keys. */
  constructor(ciphers: Map<string, Gcm>) {
    // A map keeps the order of its entries: the list's first key.
    const [first] = ciphers
    if (!first) throw new SealError('there are no seal keys')
    this.mark = toKeyMark(first[0])
    this.#first = first[1]
    this.#ciphers = ciphers
  }

  /**
   * Layout: its version, one byte length of the key's id, the id, the IV, ciphertext with its tag. `context` is authenticated
   * but not stored: bytes that were sealed for one row do not open in another.
   */
  async seal(plain: Bytes, context: string): Promise<Bytes> {
    const { mark } = this
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const body = await this.#first.encrypt(plain, iv, utf8.encode(context))
    const sealed = new Uint8Array(mark.length + IV_BYTES + body.length)
    sealed.set(mark)
    sealed.set(iv, mark.length)
    sealed.set(body, mark.length + IV_BYTES)
    return sealed
  }

  /** Throws SealError if the key is not available or did not seal the bytes for this context. */
  async open(sealed: Bytes, context: string): Promise<Bytes> {
    const bodyAt = ID_AT + (sealed[ID_AT - 1] ?? 0) + IV_BYTES
    const id = new TextDecoder().decode(sealed.subarray(ID_AT, bodyAt - IV_BYTES))
    if (sealed[0] !== LAYOUT || !isKeyId(id))
      throw new DamagedSealError(`sealed bytes for "${context}" are damaged`)
    const opener = this.#ciphers.get(id)
    if (!opener) throw new SealError(`no seal key named "${id}" is configured`)
    try {
      const iv = sealed.subarray(bodyAt - IV_BYTES, bodyAt)
      return await opener.decrypt(sealed.subarray(bodyAt), iv, utf8.encode(context))
    } catch {
      throw new DamagedSealError(`sealed bytes for "${context}" do not open with key "${id}"`)
    }
  }
}

/**
 * `sealKeys` as `id:base64,…`; `createGcm` is what the runtime has that is faster than WebCrypto. Throws SealError with the
 * reason if the keys are invalid.
 */
export async function createSealer(
  sealKeys: string,
  purpose: Purpose,
  createGcm: CreateGcm = createWebGcm,
): Promise<Sealer> {
  const ciphers = parseSealKeys(sealKeys).map(
    async ({ id, bytes }) => [id, await createGcm(await deriveKey(bytes, purpose))] as const,
  )
  return new Sealer(new Map(await Promise.all(ciphers)))
}

export async function createWebGcm(bytes: Bytes): Promise<Gcm> {
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
