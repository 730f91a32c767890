// One part of a backup as a file: lines of JSON, compressed. It is written and read as a stream, whatever its size.

import { createHash, type Hash } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Complaint } from '../settings/settings.ts'
import type { Line, Value } from './rows.ts'

export interface Written {
  rows: number
  bytes: number
  sha256: string
}

const LINES_A_CHUNK = 500
const CHUNK_BYTES = 1 << 20
/** Level 1: four times as fast as the preset, for files that are a fifth larger. */
const COMPRESSION = { level: 1, chunkSize: CHUNK_BYTES }

export async function writeArchive(file: string, lines: AsyncIterable<Line>): Promise<Written> {
  const hash = createHash('sha256')
  const written = { rows: 0, bytes: 0 }
  async function* chunks(): AsyncGenerator<string> {
    let waiting: string[] = []
    for await (const line of lines) {
      if ('values' in line) written.rows++
      waiting.push(encodeLine(line))
      if (waiting.length < LINES_A_CHUNK) continue
      yield waiting.join('')
      waiting = []
    }
    yield waiting.join('')
  }
  const count = passThrough(hash, (bytes) => {
    written.bytes += bytes
  })
  const disk = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(Readable.from(chunks()), createGzip(COMPRESSION), count, disk)
  return { ...written, sha256: hash.digest('hex') }
}

function passThrough(hash: Hash, count: (bytes: number) => void): Transform {
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      hash.update(chunk)
      count(chunk.length)
      done(null, chunk)
    },
  })
}

/** A file of a backup that is read: a link, a device or a folder in its place is refused. */
export async function openRegular(file: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ELOOP' ? 'it is a link' : error.code
    throw new Complaint(`${file} cannot be read (${why}).`)
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Complaint(`${file} is no regular file.`)
}

/** The SHA-256 of a file, in hex. */
export async function hashFile(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(handle.createReadStream({ start: 0, autoClose: false }), hash)
  return hash.digest('hex')
}

/** Passes all lines to `use`, and throws a Complaint if the bytes are other than those that were signed. */
export async function readArchive(
  handle: FileHandle,
  sha256: string,
  use: (lines: AsyncIterable<Line>) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(
    handle.createReadStream({ start: 0, autoClose: false }),
    passThrough(hash, () => undefined),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    async (chunks: AsyncIterable<Uint8Array>) => use(decodeLines(chunks)),
  )
  if (hash.digest('hex') !== sha256) throw new Complaint('The backup was changed while it was read.')
}

const isBytes = (value: unknown): value is { base64: string } => typeof value === 'object' && value !== null

function encodeLine(line: Line): string {
  if (!('values' in line)) return `${JSON.stringify(line)}\n`
  const cells = line.values.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  )
  return `${JSON.stringify(cells)}\n`
}

async function* decodeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    begun.push(first)
    for (const next of others) {
      yield decodeLine(begun.join(''))
      begun = [next]
    }
  }
}

function decodeLine(text: string): Line {
  const line: Line | (Value | { base64: string })[] = JSON.parse(text)
  if (!Array.isArray(line)) return line
  return { values: line.map((cell) => (isBytes(cell) ? Buffer.from(String(cell.base64), 'base64') : cell)) }
}
