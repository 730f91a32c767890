// The files of the protocol log: a ring of segments in one folder, each a row of sealed blocks of lines.

import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { LogLine } from '../network-log-lines.ts'
import type { Sealer } from '../seal.ts'

const LENGTH_BYTES = 4
const SUFFIX = '.sealed'

/** All segments together, and one of them. */
export interface RingSize {
  bytes: number
  segmentBytes: number
}

const toSealContext = (file: string, block: number) => `network-log:${basename(file)}:${block}`

/** Names sort by time. A process begins a segment of its own, because its pseudonyms are its own. */
export function openRing(folder: string, sealer: Sealer, size: RingSize) {
  const startedAt = new Date().toISOString().replace(/\D/g, '')
  let segment = 0
  let file = ''
  let blocks = 0
  let written = size.segmentBytes

  async function beginSegment(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    segment += 1
    file = join(folder, `${startedAt}-${String(segment).padStart(5, '0')}${SUFFIX}`)
    blocks = 0
    written = 0
    const segments = await listSegments(folder)
    let total = size.segmentBytes
    for (const old of segments.reverse()) {
      total += (await stat(old)).size
      if (total > size.bytes) await rm(old, { force: true })
    }
  }

  return {
    /** Seals the lines as one block at the end of the ring, and removes the oldest segments beyond its size. */
    async appendLines(lines: readonly string[]): Promise<void> {
      if (written >= size.segmentBytes) await beginSegment()
      const plain = new Uint8Array(Buffer.from(lines.map((line) => `${line}\n`).join('')))
      const sealed = await sealer.seal(plain, toSealContext(file, blocks))
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32BE(sealed.length)
      await appendFile(file, Buffer.concat([length, sealed]), { mode: 0o600 })
      blocks += 1
      written += LENGTH_BYTES + sealed.length
    },
  }
}

/** Oldest first; none if there is no such folder. */
export async function listSegments(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .map((name) => join(folder, name))
}

/** The lines of a segment, or of a file of plain lines. A last block that was not written whole is left out. */
export async function readSegment(file: string, sealer: () => Promise<Sealer>): Promise<LogLine[]> {
  const bytes = await readFile(file)
  const text = file.endsWith(SUFFIX) ? await openBlocks(file, bytes, await sealer()) : bytes.toString()
  return (
    text
      .split('\n')
      // In a file that holds what `npm run` printed, npm names its command first.
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine)
  )
}

async function openBlocks(file: string, bytes: Buffer, sealer: Sealer): Promise<string> {
  const plain: Uint8Array[] = []
  for (let at = 0; at + LENGTH_BYTES <= bytes.length; ) {
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    const sealed = new Uint8Array(bytes.subarray(at + LENGTH_BYTES, end))
    plain.push(await sealer.open(sealed, toSealContext(file, plain.length)))
    at = end
  }
  return Buffer.concat(plain).toString()
}
