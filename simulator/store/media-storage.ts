// Uploaded files in encrypted form, in a separate folder; the oldest are deleted when it grows too large.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readInteger, readText } from './network-database.ts'

/** What a phone does when a companion requests a file again: it uploads it, it has lost it, or it does not respond. */
export type PhoneCopy = 'kept' | 'lost' | 'offline'
export type MediaState = { uploads: number; present: boolean; phone: PhoneCopy }
const FIRST_UPLOAD: MediaState = { uploads: 1, present: true, phone: 'kept' }

const MAX_BYTES = 1024 * 2 ** 20

const prepareStatements = (database: DatabaseSync) => ({
  add: database.prepare('insert or ignore into media (token, size) values (?, ?)'),
  find: database.prepare('select size from media where token = ?'),
  total: database.prepare('select coalesce(sum(size), 0) as bytes from media'),
  deleteOldest: database.prepare(
    'delete from media where seq = (select min(seq) from media) returning token',
  ),
  findState: database.prepare('select uploads, present, phone from media_deletions where token = ?'),
  setState: database.prepare(
    'insert or replace into media_deletions (token, uploads, present, phone) values (?, ?, ?, ?)',
  ),
})

export class MediaStorage {
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #folder: string

  constructor(database: DatabaseSync, dataDir: string) {
    this.#sql = prepareStatements(database)
    this.#folder = join(dataDir, 'simulator', 'media')
    mkdirSync(this.#folder, { recursive: true })
    for (const name of readdirSync(this.#folder)) {
      // An upload that ended with the last process.
      if (name.endsWith('.part')) rmSync(this.#getPath(name))
    }
  }

  /** `token` has to be safe as a file name. Stores nothing if the source fails. */
  async writeFile(token: string, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    const part = this.#getPath(`${randomUUID()}.part`)
    const file = createWriteStream(part)
    try {
      await pipeline(Readable.from(source), file)
    } catch (error) {
      rmSync(part, { force: true })
      throw error
    }
    renameSync(part, this.#getPath(token))
    this.#sql.add.run(token, file.bytesWritten)
    this.#deleteOldest()
  }

  /** In bytes; undefined if the file does not exist or was deleted. */
  findSize(token: string): number | undefined {
    const row = this.#sql.find.get(token)
    return row && readInteger(row, 'size')
  }

  readState(token: string): MediaState {
    const row = this.#sql.findState.get(token)
    if (row === undefined) return FIRST_UPLOAD
    const phone = readText(row, 'phone') as PhoneCopy
    return { uploads: readInteger(row, 'uploads'), present: readInteger(row, 'present') === 1, phone }
  }

  setState(token: string, { uploads, present, phone }: MediaState) {
    this.#sql.setState.run(token, uploads, present ? 1 : 0, phone)
  }

  openFile(token: string, range: { start?: number; end?: number } = {}) {
    return createReadStream(this.#getPath(token), range)
  }

  clear() {
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
  }

  #getPath(name: string): string {
    return join(this.#folder, name)
  }

  #deleteOldest() {
    while (readInteger(this.#sql.total.get() ?? {}, 'bytes') > MAX_BYTES) {
      const oldest = this.#sql.deleteOldest.get()
      if (oldest === undefined) return
      rmSync(this.#getPath(readText(oldest, 'token')), { force: true })
    }
  }
}
