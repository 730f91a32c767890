// Encodes and decodes the binary form of stanzas, and reads their parts.
import { inflateSync } from 'node:zlib'
import * as dictionary from 'baileys/lib/WABinary/constants.js'
import { decodeDecompressedBinaryNode } from 'baileys/lib/WABinary/decode.js'
import { encodeBinaryNode } from 'baileys/lib/WABinary/encode.js'

export type Stanza = {
  tag: string
  attrs: Record<string, string>
  content?: Stanza[] | string | Uint8Array
}

const COMPRESSED = 2

/** The library turns every byte into a number in a list, so contents from this size on are inserted afterwards. */
const LARGE_BYTES = 64 * 1024

export function encodeStanza(stanza: Stanza): Buffer {
  const encoded = [0]
  const large: { at: number; bytes: Uint8Array }[] = []
  const outline = omitLargeContents(stanza, (bytes) => large.push({ at: encoded.length, bytes }))
  const written = encodeBinaryNode(outline, dictionary, encoded)
  const parts: Uint8Array[] = []
  let from = 0
  for (const { at, bytes } of large) {
    parts.push(written.subarray(from, at), bytes)
    from = at
  }
  return from === 0 ? written : Buffer.concat([...parts, written.subarray(from)])
}

/** Large contents are encoded with their length but without their bytes: `reached` is called at their position. */
function omitLargeContents(stanza: Stanza, reached: (bytes: Uint8Array) => void): Stanza {
  const { content } = stanza
  if (Array.isArray(content)) {
    return { ...stanza, content: content.map((part) => omitLargeContents(part, reached)) }
  }
  if (!(content instanceof Uint8Array) || content.length < LARGE_BYTES) return stanza
  const omitBytes = () => {
    reached(content)
    return [].values()
  }
  return {
    ...stanza,
    content: Object.defineProperty(content.subarray(), Symbol.iterator, { value: omitBytes }),
  }
}

/** Throws if the bytes are not a stanza. */
export function decodeStanza(bytes: Buffer): Stanza {
  const compressed = (bytes.readUInt8() & COMPRESSED) !== 0
  const body = bytes.subarray(1)
  return decodeDecompressedBinaryNode(compressed ? inflateSync(body) : body, dictionary)
}

/** Attributes that are undefined are left out. */
export function buildStanza(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: Stanza['content'],
): Stanza {
  const present = Object.entries(attrs).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const result: Stanza = { tag, attrs: Object.fromEntries(present) }
  if (content !== undefined) result.content = content
  return result
}

export function listChildren(parent: Stanza | undefined, tag?: string): Stanza[] {
  if (!Array.isArray(parent?.content)) return []
  return tag === undefined ? parent.content : parent.content.filter((child) => child.tag === tag)
}

export function findChild(parent: Stanza | undefined, tag: string): Stanza | undefined {
  return listChildren(parent, tag)[0]
}

export function readBytes(parent: Stanza | undefined, tag: string): Buffer | undefined {
  const content = findChild(parent, tag)?.content
  return content instanceof Uint8Array ? asBuffer(content) : undefined
}

/** Short strings travel as dictionary words, long ones as bytes: either may arrive. */
export function readText(node: Stanza | undefined): string | undefined {
  const content = node?.content
  if (typeof content === 'string') return content
  return content instanceof Uint8Array ? asBuffer(content).toString('utf8') : undefined
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
