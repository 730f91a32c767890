// A recording of what a client's sockets read and wrote, and the stanzas that are made of its lines: fillers replace what it left out.
import { randomBytes } from 'node:crypto'
import type { Stanza } from '../codec/stanza.ts'

type Outline = { bytes: number } | { text: number }
export type RecordedNode = {
  tag: string
  attrs: Record<string, string>
  content?: RecordedNode[] | Outline
}
/** One socket: what the client read (`in`) and wrote (`out`), and whether it ended. */
export type RecordedSocket = ({ what: 'in' | 'out'; node: RecordedNode } | { what: 'end' })[]

/** The stanza, and in place of each content that was left out as many bytes or characters. */
export function fillStanza({ tag, attrs, content }: RecordedNode): Stanza {
  if (content === undefined) return { tag, attrs }
  if (Array.isArray(content)) return { tag, attrs, content: content.map(fillStanza) }
  if ('text' in content) return { tag, attrs, content: 'x'.repeat(content.text) }
  // A reference for a QR code is text.
  const filler = randomBytes(content.bytes)
  return { tag, attrs, content: tag === 'ref' ? toText(filler) : filler }
}

const toText = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('base64url').slice(0, bytes.length))

/** What a request is about: two with the same are taken for the same request. */
export function describeRequest({ attrs, content }: Stanza | RecordedNode): string {
  const first = Array.isArray(content) ? content[0]?.tag : ''
  return [attrs.xmlns, attrs.type, first].join(' ')
}

export const isRequest = ({ tag, attrs }: { tag: string; attrs: Record<string, string> }): boolean =>
  tag === 'iq' && (attrs.type === 'get' || attrs.type === 'set')
