// Contents too large for a row: a file each, the oldest go when they are too many.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const LARGE_BYTES = 2 ** 20
const MOST_BYTES = 256 * 2 ** 20
/** Neither a stanza nor an encoded message begins with this byte: in a row the name of the file follows it. */
const NAMED = 0xff
const PART = '.part'

export type LargeContents = ReturnType<typeof largeContents>

/**
 * SQLite writes 10 MB twice, with an fsync in between, and reads them to delete them: each stops the network for 30 ms.
 * Files are written beside the work; a kill within that moment loses what is not there yet, and nothing else.
 */
export function largeContents(dataDir: string) {
  const folder = join(dataDir, 'simulator', 'large')
  mkdirSync(folder, { recursive: true })
  const pathOf = (name: string) => join(folder, name)
  const unwritten = new Map<string, Buffer>()
  const writing = new Set<Promise<void>>()
  for (const name of readdirSync(folder)) {
    if (name.endsWith(PART)) rmSync(pathOf(name))
  }
  const kept = readdirSync(folder)
    .sort()
    .map((name) => ({ name, bytes: statSync(pathOf(name)).size }))
  let made = Date.now()
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0)

  function makeRoom() {
    while (total > MOST_BYTES) {
      const oldest = kept.shift()
      if (oldest === undefined) return
      if (!unwritten.delete(oldest.name)) rmSync(pathOf(oldest.name), { force: true })
      total -= oldest.bytes
    }
  }

  async function write(name: string, content: Buffer) {
    unwritten.set(name, content)
    const part = pathOf(name + PART)
    try {
      await writeFile(part, content)
    } catch {
      // The folder is gone or the disk full: it stays in memory.
      return
    }
    // It may have been given up meanwhile.
    if (unwritten.has(name)) renameSync(part, pathOf(name))
    else rmSync(part, { force: true })
    unwritten.delete(name)
  }

  return {
    /** What is to be in the row in place of it: itself, if it is not large. */
    put(content: Buffer): Buffer {
      if (content.length < LARGE_BYTES) return content
      made += 1
      const name = String(made)
      const written = write(name, content).finally(() => writing.delete(written))
      writing.add(written)
      kept.push({ name, bytes: content.length })
      total += content.length
      makeRoom()
      return Buffer.concat([Buffer.of(NAMED), Buffer.from(name)])
    },
    /** Undefined when its file had to go. */
    get(row: Buffer): Buffer | undefined {
      if (row[0] !== NAMED) return row
      const name = row.toString('latin1', 1)
      const held = unwritten.get(name)
      if (held) return held
      return kept.some((one) => one.name === name) ? readFileSync(pathOf(name)) : undefined
    },
    async idle() {
      await Promise.all(writing)
    },
    empty() {
      for (const { name } of kept) rmSync(pathOf(name), { force: true })
      unwritten.clear()
      kept.length = 0
      total = 0
    },
  }
}
