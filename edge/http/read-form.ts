// Reads the body of a form with a file (`multipart/form-data`), within the limits of its caller.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { retainBytes } from '../media/request-body.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { createReadingCharge, rejectSpentBodies } from './body-costs.ts'
import { openBody } from './open-body.ts'
import { findEncodingFault } from './parse-body.ts'
import { readBounded } from './read-body-bytes.ts'

/** Of the fields beside a file, and what is around them. */
export const FORM_BYTES = 64 * 1024

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
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    throw new Fault('invalid_body', 'The body is not valid multipart/form-data.')
  }
}
