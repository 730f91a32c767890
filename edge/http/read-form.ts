// Reads the body of a form with a file (`multipart/form-data`), within the limits of its caller.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { retainBytes } from '../media/request-body.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { concatBytes, encodeUtf8, toSearched } from '../runtime/bytes.ts'
import { createParsingCharge, createReadingCharge, rejectSpentBodies } from './body-costs.ts'
import { openBody } from './open-body.ts'
import { findEncodingFault } from './parse-body.ts'
import { readBounded } from './read-body-bytes.ts'

/** Of the fields beside a file, and what is around them. */
export const FORM_BYTES = 64 * 1024
/** More than any form of a dialect has. Before it is parsed: the runtime takes seconds for a hundred thousand. */
const MAX_PARTS = 200

const [CR, LF] = [0x0d, 0x0a]

const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";]{1,70}))/i

export const isForm = (type = ''): boolean => /^multipart\/form-data\s*;/i.test(type)

export async function readForm(c: Context<EdgeEnv>, maxBytes: number): Promise<FormData> {
  const type = c.req.header('content-type') ?? ''
  const length = Number(c.req.header('content-length') ?? 0)
  if (length > maxBytes) throw new Fault('body_too_large')
  if (!isForm(type)) throw new Fault('unsupported_media_type', 'The body must be multipart/form-data.')
  const wrongEncoding = findEncodingFault(c.req.header('content-encoding'))
  if (wrongEncoding) throw wrongEncoding
  const caller = c.get('actor')
  rejectSpentBodies(c, caller, length)
  const heldBytes = retainBytes(c, caller)
  // The runtime may stop a request whose caller has disconnected, and then nothing here continues.
  c.req.raw.signal.addEventListener('abort', () => heldBytes.release())
  const bytes = await readBounded(openBody(c), {
    maxBytes,
    length,
    before: new Uint8Array(),
    reserveBytes: (some) => heldBytes.reserveBytes(some),
    onRead: createReadingCharge(c, caller),
  })
  c.set('bodyIsRead', true)
  const charge = createParsingCharge(caller, bytes.length)
  try {
    return await parseForm(bytes, type)
  } finally {
    charge()
  }
}

type Bytes = Uint8Array<ArrayBuffer>

async function parseForm(bytes: Bytes, type: string): Promise<FormData> {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw createUnreadable()
  const delimiters = findDelimiters(bytes, boundary)
  // The last one ends the form.
  if (delimiters.length > MAX_PARTS + 1)
    throw new Fault('invalid_body', `The form must have at most ${MAX_PARTS} parts.`)
  const separated = separate(bytes, boundary, delimiters)
  // Only the boundary that was counted by.
  const headers = { 'content-type': `multipart/form-data; boundary="${separated.boundary}"` }
  const form = await new Response(separated.bytes, { headers }).formData().catch(() => {
    throw createUnreadable()
  })
  let size = 0
  for (const [name, value] of form) size += countBytes(name, typeof value === 'string' ? value : value.name)
  if (size > FORM_BYTES)
    throw new Fault('body_too_large', `The fields beside the file are larger than ${FORM_BYTES} bytes.`)
  return form
}

const countBytes = (...texts: string[]): number =>
  texts.reduce((sum, text) => sum + encodeUtf8(text).length, 0)

const createUnreadable = () => new Fault('invalid_body', 'The body is not valid multipart/form-data.')

/** Where the parts are separated: a delimiter begins a line (RFC 2046, 5.1.1). At most one more than is refused. */
function findDelimiters(bytes: Uint8Array, boundary: string): number[] {
  const [searched, pattern] = [toSearched(bytes), encodeUtf8(`--${boundary}`)]
  const found: number[] = []
  for (let at = searched.indexOf(pattern); at >= 0; at = searched.indexOf(pattern, at + pattern.length)) {
    if (at === 0 || (bytes[at - 2] === CR && bytes[at - 1] === LF)) found.push(at)
    if (found.length > MAX_PARTS + 1) break
  }
  return found
}

/** Parsers of runtimes stop at the words of the boundary in a file too. Where they are in one, the form gets another boundary. */
function separate(bytes: Bytes, boundary: string, delimiters: number[]): { bytes: Bytes; boundary: string } {
  if (!hasMore(bytes, boundary, delimiters.length)) return { bytes, boundary }
  const unique = crypto.randomUUID()
  const length = encodeUtf8(`--${boundary}`).length
  const pieces = delimiters.flatMap((at, place) => [
    encodeUtf8(`--${unique}`),
    bytes.subarray(at + length, delimiters[place + 1]),
  ])
  return { bytes: concatBytes([bytes.subarray(0, delimiters[0]), ...pieces]), boundary: unique }
}

function hasMore(bytes: Uint8Array, text: string, count: number): boolean {
  const [searched, pattern] = [toSearched(bytes), encodeUtf8(text)]
  let at = searched.indexOf(pattern)
  for (let left = count; at >= 0; left--) {
    if (left === 0) return true
    at = searched.indexOf(pattern, at + pattern.length)
  }
  return false
}
