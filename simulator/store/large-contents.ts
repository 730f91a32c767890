// Contents that are too large for a row, one file each; the oldest are deleted when there are too many.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LARGE_BYTES = 2 ** 20
const MAX_BYTES = 256 * 2 ** 20
/** No stanza and no encoded message begins with this byte; in a row the name of the file follows it. */
const NAMED = 0xff

/**
 * SQLite writes 10 MB twice, with an fsync in between, and reads them to delete them: each blocks the network for 30 ms.
 * A file is written at once, before its row, and survives a kill as the row does.
 */
export class LargeContents {
  readonly #folder: string
  /** Oldest first. */
  readonly #files: { name: string; bytes: number }[]
  #lastName = Date.now()
  #totalBytes: number

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'simulator', 'large')
    mkdirSync(this.#folder, { recursive: true })
    this.#files = readdirSync(this.#folder)
      .sort()
      .map((name) => ({ name, bytes: statSync(this.#getPath(name)).size }))
    this.#totalBytes = this.#files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Returns the value for the row: the content itself, if it is not large. */
  storeContent(content: Buffer): Buffer {
    if (content.length < LARGE_BYTES) return content
    this.#lastName += 1
    const name = String(this.#lastName)
    writeFileSync(this.#getPath(name), content)
    this.#files.push({ name, bytes: content.length })
    this.#totalBytes += content.length
    this.#deleteOldest()
    return Buffer.concat([Buffer.of(NAMED), Buffer.from(name)])
  }

  /** Undefined if its file was deleted. */
  readContent(row: Buffer): Buffer | undefined {
    if (row[0] !== NAMED) return row
    const name = row.toString('latin1', 1)
    return this.#files.some((file) => file.name === name) ? readFileSync(this.#getPath(name)) : undefined
  }

  clear() {
    for (const { name } of this.#files) rmSync(this.#getPath(name), { force: true })
    this.#files.length = 0
    this.#totalBytes = 0
  }

  #getPath(name: string): string {
    return join(this.#folder, name)
  }

  #deleteOldest() {
    while (this.#totalBytes > MAX_BYTES) {
      const oldest = this.#files.shift()
      if (oldest === undefined) return
      rmSync(this.#getPath(oldest.name), { force: true })
      this.#totalBytes -= oldest.bytes
    }
  }
}
