// Seals secrets at rest with AES-256-GCM under the key of their purpose. The first key of a list seals; all of them open.

import {
  type Bytes,
  deriveKey,
  isKeyId,
  type Purpose,
  parseSealKeys,
  SealError,
  type SealKey,
} from './seal-keys.ts'

export { type Purpose, SealError } from './seal-keys.ts'

const IV_BYTES = 12
/** First byte of data that a derived key has sealed. In older data it is the length of the key's id: 1 to 64. */
const DERIVED = 0x81

/** The key is available, but it did not seal these bytes: they are damaged or belong to another row. */
export class DamagedSealError extends SealError {}

/** AES-256-GCM under one key, the tag after the ciphertext. `decrypt` throws for bytes that this key did not encrypt. */
export interface Gcm {
  encrypt(plain: Bytes, iv: Bytes, authenticated: Uint8Array): Bytes | Promise<Bytes>
  decrypt(body: Bytes, iv: Bytes, authenticated: Uint8Array): Bytes | Promise<Bytes>
}
export type CreateGcm = (key: Bytes) => Gcm | Promise<Gcm>

export interface SealerOptions {
  /** Keys that sealed without a purpose in earlier versions. They only open. Empty for none. */
  previousKeys?: string
  /** A faster implementation than WebCrypto, if the runtime has one. */
  createGcm?: CreateGcm
}

const utf8 = new TextEncoder()

/** The first bytes of everything that the key of this id has sealed. */
export function toKeyMark(id: string): Bytes {
  const name = utf8.encode(id)
  return Uint8Array.of(DERIVED, name.length, ...name)
}

/** A derived key and those that only open, by their ids. */
interface Ciphers {
  derived: Map<string, Gcm>
  previous: Map<string, Gcm>
}

export class Sealer {
  /** The first bytes of everything that the first key has sealed. */
  readonly mark: Bytes
  readonly #first: Gcm
  readonly #ciphers: Ciphers

  constructor(ciphers: Ciphers) {
    // A map keeps the order of its entries: the list's first key.
    const [first] = ciphers.derived
    if (!first) throw new SealError('there are no seal keys')
    this.mark = toKeyMark(first[0])
    this.#first = first[1]
    this.#ciphers = ciphers
  }

  /**
   * Layout: the version, one byte length of the key's id, the id, the IV, ciphertext with its tag. `context` is authenticated
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
    const { derived, previous } = this.#ciphers
    const [byId, idAt] = sealed[0] === DERIVED ? [derived, 2] : [previous, 1]
    const bodyAt = idAt + (sealed[idAt - 1] ?? 0) + IV_BYTES
    const id = new TextDecoder().decode(sealed.subarray(idAt, bodyAt - IV_BYTES))
    if (!isKeyId(id)) throw new DamagedSealError(`sealed bytes for "${context}" are damaged`)
    const opener = byId.get(id)
    if (!opener) throw new SealError(`no seal key named "${id}" is configured`)
    try {
      const iv = sealed.subarray(bodyAt - IV_BYTES, bodyAt)
      return await opener.decrypt(sealed.subarray(bodyAt), iv, utf8.encode(context))
    } catch {
      throw new DamagedSealError(`sealed bytes for "${context}" do not open with key "${id}"`)
    }
  }
}

/** `sealKeys` as `id:base64,…`. Throws SealError with the reason if they are invalid. */
export async function createSealer(
  sealKeys: string,
  purpose: Purpose,
  { previousKeys = '', createGcm = createWebGcm }: SealerOptions = {},
): Promise<Sealer> {
  const keys = parseSealKeys(sealKeys)
  const previous = previousKeys === '' ? [] : parseSealKeys(previousKeys)
  return new Sealer({
    derived: await createCiphers(keys, async (bytes) => createGcm(await deriveKey(bytes, purpose))),
    previous: await createCiphers(previous, createGcm),
  })
}

const createCiphers = async (keys: SealKey[], make: CreateGcm): Promise<Map<string, Gcm>> =>
  new Map(await Promise.all(keys.map(async ({ id, bytes }) => [id, await make(bytes)] as const)))

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
