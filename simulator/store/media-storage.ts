// Uploaded files in encrypted form, in a separate folder; the oldest are deleted when it grows too large.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readInteger, readText } from './network-database.ts'

/** What a phone does when it is asked for a file again: it uploads it, it has lost it, or it does not answer. */
export type PhoneCopy = 'kept' | 'lost' | 'offline'
export type MediaState = { uploads: number; present: boolean; phone: PhoneCopy }
const FIRST_UPLOAD: MediaState = { uploads: 1, present: true, phone: 'kept' }

export const MAX_FILE_BYTES = 101 * 2 ** 20
const MAX_BYTES = 1024 * 2 ** 20

export function createMediaStorage(database: DatabaseSync, dataDir: string) {
  const folder = join(dataDir, 'simulator', 'media')
  mkdirSync(folder, { recursive: true })
  const add = database.prepare('insert or ignore into media (token, size) values (?, ?)')
  const find = database.prepare('select size from media where token = ?')
  const total = database.prepare('select coalesce(sum(size), 0) as bytes from media')
  const dropOldest = database.prepare(
    'delete from media where seq = (select min(seq) from media) returning token',
  )
  const findState = database.prepare('select uploads, present, phone from media_deletions where token = ?')
  const setState = database.prepare(
    'insert or replace into media_deletions (token, uploads, present, phone) values (?, ?, ?, ?)',
  )
  for (const name of readdirSync(folder)) {
    // An upload that the last process did not see the end of.
    if (name.endsWith('.part')) rmSync(join(folder, name))
  }
  const getPath = (token: string) => join(folder, token)

  function deleteOldest() {
    while (readInteger(total.get() ?? {}, 'bytes') > MAX_BYTES) {
      const oldest = dropOldest.get()
      if (oldest === undefined) return
      rmSync(getPath(readText(oldest, 'token')), { force: true })
    }
  }

  return {
    /** `token` has to be safe as a file name. Stores nothing if the source fails. */
    async writeFile(token: string, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
      const part = join(folder, `${randomUUID()}.part`)
      const file = createWriteStream(part)
      try {
        await pipeline(Readable.from(source), file)
      } catch (error) {
        rmSync(part, { force: true })
        throw error
      }
      renameSync(part, getPath(token))
      add.run(token, file.bytesWritten)
      deleteOldest()
    },
    /** In bytes; undefined if the file does not exist or was deleted. */
    findSize(token: string): number | undefined {
      const row = find.get(token)
      return row && readInteger(row, 'size')
    },
    readState(token: string): MediaState {
      const row = findState.get(token)
      if (row === undefined) return FIRST_UPLOAD
      const phone = readText(row, 'phone') as PhoneCopy
      return { uploads: readInteger(row, 'uploads'), present: readInteger(row, 'present') === 1, phone }
    },
    setState(token: string, { uploads, present, phone }: MediaState) {
      setState.run(token, uploads, present ? 1 : 0, phone)
    },
    openFile(token: string, range: { start?: number; end?: number } = {}) {
      return createReadStream(getPath(token), range)
    },
    clear() {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
    },
  }
}
