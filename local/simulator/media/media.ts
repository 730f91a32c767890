// The media of the network: their uploads and downloads, and the permission to upload.
import { createHash, timingSafeEqual } from 'node:crypto'
import { hmac } from '../crypto/ciphers.ts'
import { LARGEST_FILE } from '../store/media.ts'
import type { Store } from '../store/store.ts'
import { type Kind, type Sealable, seal, unseal } from './sealing.ts'

const TOKEN = /^[\w-]{43}$/
const STORED = /^\/v\/([\w-]{43})/
/** All members of a group get the same file, so it is decrypted once for all of them. */
const OPENED_KEPT = 200

export type Stored = { path: string; url: string }
export type Reference = {
  key: Uint8Array
  kind: Kind
  path: string
  sha256: Uint8Array
  sealedSha256: Uint8Array
}

export class UploadRefused extends Error {
  readonly status: 400 | 401 | 413

  constructor(status: 400 | 401 | 413, why: string) {
    super(why)
    this.status = status
  }
}

export class Media {
  readonly #store: Store
  readonly #opened = new Map<string, Promise<boolean>>()
  /** Host and port of the media host, once it runs. */
  host = ''

  constructor(store: Store) {
    this.#store = store
  }

  /** The token that an account's companions show when they upload. */
  passFor(number: string): string {
    return `${number}.${hmac(this.#store.mediaPassKey, Buffer.from(number)).toString('base64url')}`
  }

  pictureUrl(id: string, small: boolean): string {
    return `https://${this.host}/pp/${small ? 'small/' : ''}${id}.jpg`
  }

  /** `token` is the hash of the uploaded bytes, by which the file is requested later. */
  async upload(token: string, pass: string, body: AsyncIterable<Uint8Array>): Promise<Stored> {
    if (!this.#admits(pass)) throw new UploadRefused(401, 'this pass is none of ours')
    if (!TOKEN.test(token)) throw new UploadRefused(400, 'no hash of a file')
    await this.#store.media.write(token, measured(token, body))
    return this.#stored(token)
  }

  async keep<K extends Sealable>(
    file: Buffer,
    kind: K,
  ): Promise<Omit<Reference, 'kind'> & { kind: K } & Stored> {
    const { key, bytes, sha256, sealedSha256 } = seal(file, kind)
    const token = sealedSha256.toString('base64url')
    await this.#store.media.write(token, [bytes])
    return { key, kind, sha256, sealedSha256, ...this.#stored(token) }
  }

  /** Whether the stored file matches its message: MAC and both hashes. */
  isGenuine(reference: Reference): Promise<boolean> {
    const { path, key, kind } = reference
    const promised = [key, reference.sha256, reference.sealedSha256].map((bytes) =>
      Buffer.from(bytes).toString('hex'),
    )
    const name = [path, kind, ...promised].join(' ')
    const known = this.#opened.get(name)
    if (known !== undefined) return known
    const opening = this.#open(reference).catch(() => false)
    // What is missing now may be there when it is asked for again.
    void opening.then((genuine) => genuine || this.#opened.delete(name))
    const oldest = this.#opened.keys().next().value
    if (this.#opened.size >= OPENED_KEPT && oldest !== undefined) this.#opened.delete(oldest)
    this.#opened.set(name, opening)
    return opening
  }

  has(path: string): boolean {
    const token = STORED.exec(path)?.[1]
    return token !== undefined && this.#store.media.sizeOf(token) !== undefined
  }

  async #open({ path, key, kind, sha256, sealedSha256 }: Reference): Promise<boolean> {
    const token = STORED.exec(path)?.[1]
    if (token === undefined || !this.has(path)) return false
    const opened = await unseal(this.#store.media.read(token), key, kind)
    return opened.sha256.equals(sha256) && opened.sealedSha256.equals(sealedSha256)
  }

  #admits(pass: string): boolean {
    const number = pass.split('.')[0] ?? ''
    const shown = Buffer.from(pass)
    const right = Buffer.from(this.passFor(number))
    const genuine = shown.length === right.length && timingSafeEqual(shown, right)
    return genuine && this.#store.accounts.find(number) !== undefined
  }

  #stored(token: string): Stored {
    const path = `/v/${token}`
    return { path, url: `https://${this.host}${path}` }
  }
}

async function* measured(token: string, body: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > LARGEST_FILE) throw new UploadRefused(413, 'the file is too large')
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('base64url') !== token) throw new UploadRefused(400, 'the file has another hash')
}
