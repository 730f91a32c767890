// Contents that are too large for a row, one file each; the oldest are deleted when there are too many.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LARGE_BYTES = 2 ** 20
const MAX_BYTES = 256 * 2 ** 20
/** No stanza and no encoded message begins with this byte; in a row the name of the file follows it. */
const NAMED = 0xff

export type LargeContents = ReturnType<typeof createLargeContents>

/**
 * SQLite writes 10 MB twice, with an fsync in between, and reads them to delete them: each blocks the network for 30 ms.
 * A file is written at once, before its row, and survives a kill as the row does.
 */
export function createLargeContents(dataDir: string) {
  const folder = join(dataDir, 'simulator', 'large')
  mkdirSync(folder, { recursive: true })
  const getPath = (name: string) => join(folder, name)
  const kept = readdirSync(folder)
    .sort()
    .map((name) => ({ name, bytes: statSync(getPath(name)).size }))
  let made = Date.now()
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0)

  function deleteOldest() {
    while (total > MAX_BYTES) {
      const oldest = kept.shift()
      if (oldest === undefined) return
      rmSync(getPath(oldest.name), { force: true })
      total -= oldest.bytes
    }
  }

  return {
    /** The value for the row: the content itself, if it is not large. */
    storeContent(content: Buffer): Buffer {
      if (content.length < LARGE_BYTES) return content
      made += 1
      const name = String(made)
      writeFileSync(getPath(name), content)
      kept.push({ name, bytes: content.length })
      total += content.length
      deleteOldest()
      return Buffer.concat([Buffer.of(NAMED), Buffer.from(name)])
    },
    /** Undefined if its file was deleted. */
    readContent(row: Buffer): Buffer | undefined {
      if (row[0] !== NAMED) return row
      const name = row.toString('latin1', 1)
      return kept.some((one) => one.name === name) ? readFileSync(getPath(name)) : undefined
    },
    clear() {
      for (const { name } of kept) rmSync(getPath(name), { force: true })
      kept.length = 0
      total = 0
    },
  }
}
