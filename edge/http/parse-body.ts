// Reads JSON bodies with a limit, parses them by the schema of the route, and names the field in a refusal.

import type { RequestBody } from '@msgnet/shared/api/route-declaration.ts'
import {
  listFieldNames,
  listOptionalFields,
  removeEmptyFields,
} from '@msgnet/shared/contract/empty-fields.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { findUnsupportedField } from '@msgnet/shared/contract/unsupported-fields.ts'
import {
  describeFirstIssue,
  formatFieldPath,
  issueMessages,
} from '@msgnet/shared/contract/validation-message.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { retainBytes } from '../media/request-body.ts'
import { readHead } from '../request/idempotency-step.ts'
import { findInner, type InnerRequest } from '../request/inner-request.ts'
import type { Actor, EdgeEnv } from '../request/request-context.ts'
import { concatBytes } from '../runtime/bytes.ts'
import { extractLongTexts, LongTexts } from '../runtime/long-texts.ts'
import { chargeParsing, createReadingCharge, rejectSpentBodies } from './body-costs.ts'
import { JsonShape } from './json-bounds.ts'
import { openBody } from './open-body.ts'
import { type ReadOptions, readBounded } from './read-body-bytes.ts'

/** In bytes. For a smaller body it is not worth while to listen for a caller that leaves. */
const LARGE = 64 * 1024

type FieldFaults = Record<string, FaultName>

/** Routes that need no body still refuse one that is not an object. */
const nothing: RequestBody = { schema: z.object({}), optional: true, samples: {} }
/** For a body whose handler checks its fields. */
const anyObject = z.record(z.string(), z.unknown())

/**
 * Reads the body into `c.get('body')` (`undefined` for a route without one), once a request however often it is called. `caller`:
 * the owner of the bytes.
 */
export type ReadBody = (c: Context<EdgeEnv>, caller: Actor | undefined) => Promise<void>

export const createBodyStep = (read: ReadBody) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    await read(c, c.get('actor'))
    await next()
  })

export function createBodyReader(declared: RequestBody | undefined): ReadBody {
  const {
    optional = false,
    checkedByHandler = false,
    faults = {},
    maxBytes = limits.maxBodyBytes,
    fileFields = [],
    emptyTexts = [],
    unsupported = [],
    onlyKnown = false,
    schema: fields,
  } = declared ?? nothing
  const schema = checkedByHandler ? anyObject : fields
  const optionalFields = listOptionalFields(schema, emptyTexts)
  const known = listFieldNames(schema)
  async function readBody(c: Context<EdgeEnv>, caller: Actor | undefined): Promise<void> {
    const inner = findInner(c)
    const innerBody = inner && takeInnerBody(c, inner)
    if (inner?.failure) return
    if (inner) return checkBody(c, innerBody ?? {})
    const type = c.req.header('content-type')
    const length = Number(c.req.header('content-length') ?? 0)
    if (length > maxBytes) throw new Fault('body_too_large')
    const wrongForm = findWrongForm(type, c.req.header('content-encoding'))
    // A caller that sent `Expect: 100-continue` is refused before it sends the body.
    if (wrongForm && length > 0) throw wrongForm
    rejectSpentBodies(c, caller, length)
    const shape = new JsonShape()
    const checkPiece = wrongForm ? undefined : (piece: Uint8Array) => shape.addPiece(piece)
    const raw = await readRawBody(c, caller, { maxBytes, length, checkPiece })
    if (wrongForm && raw.length > 0) throw wrongForm
    chargeParsing(caller, raw.length, () => parseBody(c, raw))
  }
  function parseBody(c: Context<EdgeEnv>, raw: Uint8Array<ArrayBuffer>): void {
    const longTexts = new LongTexts()
    const short = fileFields.length === 0 ? raw : extractLongTexts(raw, fileFields, longTexts)
    c.set('longTexts', longTexts)
    const parsedBody = optional && raw.length === 0 ? {} : parseJson(short, faults)
    checkBody(c, parsedBody)
  }
  function checkBody(c: Context<EdgeEnv>, parsedBody: unknown): void {
    const converted = c.env.dialect.convertBody(c.req.path, parsedBody)
    const body =
      optional && Array.isArray(converted) && converted.length === 0
        ? {}
        : removeEmptyFields(converted, optionalFields)
    const refused = findUnsupportedField(body, onlyKnown ? listUnknownFields(body, known) : unsupported)
    if (refused) throw new Fault('invalid_body', `${refused} is not supported.`)
    const parsed = schema.safeParse(body, issueMessages)
    if (!parsed.success)
      throw new Fault(selectFault(parsed.error.issues[0]?.path, faults), describeFirstIssue(parsed.error))
    if (declared) c.set('body', parsed.data)
  }
  return (c, caller) => {
    const reading = c.get('bodyRead') ?? readBody(c, caller)
    c.set('bodyRead', reading)
    return reading
  }
}

/** What the outer request has read is its caller's here too: the bytes for the fingerprint, and the files, which only one of its calls takes. */
function takeInnerBody(c: Context<EdgeEnv>, { outer, body }: InnerRequest): unknown {
  const { longTexts, requestBytes } = outer.var
  c.set('longTexts', longTexts)
  if (requestBytes && c.req.header('idempotency-key') !== undefined)
    c.set('requestBytes', concatBytes([readHead(c), requestBytes]))
  c.set('bodyIsRead', true)
  return body
}

/** Counts the bytes as the caller's before they are in memory. */
async function readRawBody(
  c: Context<EdgeEnv>,
  caller: Actor | undefined,
  options: Pick<ReadOptions, 'maxBytes' | 'length' | 'checkPiece'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const heldBytes = retainBytes(c, caller)
  // The runtime may stop a request whose caller has disconnected, and then nothing here continues.
  const { length } = options
  if (length === 0 || length > LARGE) c.req.raw.signal.addEventListener('abort', () => heldBytes.release())
  const before = readHead(c)
  const whole = await readBounded(openBody(c), {
    ...options,
    before,
    reserveBytes: (bytes) => heldBytes.reserveBytes(bytes),
    onRead: createReadingCharge(c, caller),
  })
  c.set('requestBytes', whole)
  c.set('bodyIsRead', true)
  return whole.subarray(before.length)
}

/** The unknown fields of a body with only optional fields. */
const listUnknownFields = (body: unknown, known: ReadonlySet<string>): string[] =>
  typeof body === 'object' && body ? Object.keys(body).filter((name) => !known.has(name)) : []

/** The fault of a body that is not JSON as it is. An encoded one would have to be decoded before its limit is known. */
export function findWrongForm(type: string | undefined, encoding?: string): Fault | undefined {
  if (type !== undefined && !isJson(type)) return new Fault('unsupported_media_type')
  return findEncodingFault(encoding)
}

export function findEncodingFault(encoding = ''): Fault | undefined {
  if (encoding === '' || encoding.trim().toLowerCase() === 'identity') return undefined
  return new Fault(
    'unsupported_media_type',
    `The body must be sent without content-encoding; it has ${encoding.slice(0, 100)}.`,
  )
}

const isJson = (type: string) => /^application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type.trim())

const selectFault = ([field]: PropertyKey[] = [], faults: FieldFaults): FaultName =>
  (typeof field === 'string' && Object.hasOwn(faults, field) && faults[field]) || 'invalid_body'

function parseJson(raw: Uint8Array<ArrayBuffer>, faults: FieldFaults): unknown {
  const text = decodeText(raw)
  const body = decodeJson(text)
  // Valid UTF-8 cannot hold half of a surrogate pair; only such an escape can.
  if (/\\u[dD][89a-fA-F]/.test(text)) rejectHalfCharacters(body, faults)
  if (/__proto__|\\u005f/i.test(text)) rejectPrototypeFields(body, faults)
  return body
}

function decodeText(raw: Uint8Array<ArrayBuffer>): string {
  try {
    // A byte order mark at the beginning is passed over.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(raw)
  } catch {
    throw new Fault('invalid_json', 'The body is not valid UTF-8.')
  }
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('invalid_json')
  }
}

/** Half of a surrogate pair cannot be stored or sent unchanged: a later reader would get another text. */
function rejectHalfCharacters(value: unknown, faults: FieldFaults, path: PropertyKey[] = []): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw new Fault(
      selectFault(path, faults),
      `${formatFieldPath(path)} must not hold half of a surrogate pair.`,
    )
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (!key.isWellFormed())
      throw new Fault(
        selectFault(path, faults),
        `${formatFieldPath(path)} must not have half of a surrogate pair in a field's name.`,
      )
    rejectHalfCharacters(inner, faults, [...path, Array.isArray(value) ? Number(key) : key])
  }
}

/** Whatever copies an object field by field loses this one or changes the copy's kind, so it would be accepted and have no effect. */
function rejectPrototypeFields(value: unknown, faults: FieldFaults, path: PropertyKey[] = []): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__'))
    throw new Fault(
      selectFault(path, faults),
      `${formatFieldPath(path)} must not have a field with the name "__proto__".`,
    )
  for (const [key, inner] of Object.entries(value))
    rejectPrototypeFields(inner, faults, [...path, Array.isArray(value) ? Number(key) : key])
}
