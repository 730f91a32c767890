// The media of the network: their uploads and downloads, and the permission to upload.
import { createHash, timingSafeEqual } from 'node:crypto'
import { hmac } from '../crypto/ciphers.ts'
import { MAX_FILE_BYTES } from '../network-limits.ts'
import type { PhoneCopy } from '../store/media-storage.ts'
import type { Store } from '../store/network-store.ts'
import { parsePath, signPath } from './direct-paths.ts'
import { type EncryptedKind, encryptFile, hashFile, type MediaKind } from './encrypt-file.ts'

/** Some clients write the padding of the hash, others leave it out. */
const TOKEN = /^([\w-]{43})=?$/
/** All members of a group get the same file, so it is decrypted once for all of them. */
const MAX_CHECKED_FILES = 200

export type FileLocation = { path: string; url: string }
export type FileReference = {
  key: Uint8Array
  kind: MediaKind
  path: string
  sha256: Uint8Array
  encryptedSha256: Uint8Array
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
  readonly #checkedFiles = new Map<string, Promise<boolean>>()
  /** Host and port of each media host, once they run; clients prefer the first. */
  hosts: string[] = []

  constructor(store: Store) {
    this.#store = store
  }

  get host(): string {
    return this.hosts[0] ?? ''
  }

  /** The token that an account's companions send when they upload. */
  createPass(number: string): string {
    return `${number}.${hmac(this.#store.mediaPassKey, Buffer.from(number)).toString('base64url')}`
  }

  pictureUrl(id: string, small: boolean): string {
    return `https://${this.host}/pp/${small ? 'small/' : ''}${id}.jpg`
  }

  /** `name` is the hash of the uploaded bytes, by which the file is requested later. */
  async uploadFile(name: string, pass: string, body: AsyncIterable<Uint8Array>): Promise<FileLocation> {
    if (!this.#acceptsPass(pass)) throw new UploadRefused(401, 'this pass is none of ours')
    const token = TOKEN.exec(name)?.[1]
    if (token === undefined) throw new UploadRefused(400, 'no hash of a file')
    await this.#store.media.writeFile(token, checkUpload(token, body))
    this.#restoreFile(token)
    return this.#findLocation(token)
  }

  async storeFile<K extends EncryptedKind>(
    file: Buffer,
    kind: K,
  ): Promise<Omit<FileReference, 'kind'> & { kind: K } & FileLocation> {
    const { key, bytes, sha256, encryptedSha256 } = encryptFile(file, kind)
    const token = encryptedSha256.toString('base64url')
    await this.#store.media.writeFile(token, [bytes])
    return { key, kind, sha256, encryptedSha256, ...this.#findLocation(token) }
  }

  /** Whether the stored file matches its message: MAC and both hashes. */
  isGenuine(reference: FileReference): Promise<boolean> {
    const { path, key, kind } = reference
    const promised = [key, reference.sha256, reference.encryptedSha256].map((bytes) =>
      Buffer.from(bytes).toString('hex'),
    )
    const name = [path, kind, ...promised].join(' ')
    const known = this.#checkedFiles.get(name)
    if (known !== undefined) return known
    const opening = this.#checkFile(reference).catch(() => false)
    // A file that is missing now may exist at the next request.
    void opening.then((valid) => valid || this.#checkedFiles.delete(name))
    const oldest = this.#checkedFiles.keys().next().value
    if (this.#checkedFiles.size >= MAX_CHECKED_FILES && oldest !== undefined)
      this.#checkedFiles.delete(oldest)
    this.#checkedFiles.set(name, opening)
    return opening
  }

  /** The file that a direct path leads to; else the status with which the hosts refuse it. */
  findFile(path: string): { token: string; size: number } | { refused: 403 | 404 | 410 } {
    const signed = parsePath(this.#store.mediaPassKey, path)
    const size = signed && this.#store.media.findSize(signed.token)
    if (signed === undefined || size === undefined) return { refused: 404 }
    if (!signed.valid) return { refused: 403 }
    const { uploads, present } = this.#store.media.readState(signed.token)
    if (signed.upload !== uploads) return { refused: 410 }
    return present ? { token: signed.token, size } : { refused: 404 }
  }

  /** The hosts no longer have the file. `phone`: what happens to the phone's own copy. */
  deleteFile(token: string, phone: PhoneCopy) {
    const { uploads } = this.#store.media.readState(token)
    this.#store.media.setState(token, { uploads, present: false, phone })
  }

  /** The path of the file after its phone uploaded it again; undefined if the phone no longer has it. */
  reuploadFile(token: string): string | undefined {
    const isLost = this.#store.media.readState(token).phone === 'lost'
    if (isLost || this.#store.media.findSize(token) === undefined) return undefined
    this.#restoreFile(token)
    return this.#findLocation(token).path
  }

  /** What was deleted and uploaded again is at another path. */
  #restoreFile(token: string) {
    const state = this.#store.media.readState(token)
    if (state.present) return
    this.#store.media.setState(token, { ...state, uploads: state.uploads + 1, present: true })
  }

  async #checkFile({ path, key, kind, sha256, encryptedSha256 }: FileReference): Promise<boolean> {
    const found = this.findFile(path)
    if ('refused' in found) return false
    const opened = await hashFile(this.#store.media.openFile(found.token), key, kind)
    return opened.sha256.equals(sha256) && opened.encryptedSha256.equals(encryptedSha256)
  }

  #acceptsPass(pass: string): boolean {
    const number = pass.split('.')[0] ?? ''
    const shown = Buffer.from(pass)
    const right = Buffer.from(this.createPass(number))
    const valid = shown.length === right.length && timingSafeEqual(shown, right)
    return valid && this.#store.accounts.find(number) !== undefined
  }

  #findLocation(token: string): FileLocation {
    const path = signPath(this.#store.mediaPassKey, token, this.#store.media.readState(token).uploads)
    return { path, url: `https://${this.host}${path}&mms3=true` }
  }
}

async function* checkUpload(token: string, body: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_FILE_BYTES) throw new UploadRefused(413, 'the file is too large')
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('base64url') !== token) throw new UploadRefused(400, 'the file has another hash')
}
