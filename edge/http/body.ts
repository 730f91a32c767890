// JSON bodies: bounded while they are read, parsed by the route's schema, and a refusal that names the field.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import type { RequestBody } from '../../shared/api/route.ts'
import {
  type OptionalFields,
  optionalFieldsOf,
  withoutEmptyFields,
} from '../../shared/contract/empty-fields.ts'
import { placeOf, plainErrors, sentenceOf } from '../../shared/contract/refusal-text.ts'
import { unsupportedIn } from '../../shared/contract/unsupported.ts'
import { limits } from '../../shared/contract/version.ts'
import { Fault, type FaultName } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { tolerant } from '../env.ts'
import { toleratedBody } from '../family/bodies.ts'
import { drain, readBounded } from './read-body.ts'

/** Deeper than any body of the API, shallower than what would exhaust a stack. */
const DEEPEST = 32

type FieldFaults = Record<string, FaultName>

/** Routes that need no body still refuse one that is not an object. */
const nothing: RequestBody = { schema: z.object({}), optional: true, samples: {} }
/** What a handler checks by itself. */
const anyObject = z.record(z.string(), z.unknown())

/** Reads the body into `c.var.body`; of a route without one, `undefined`. Once, however often it is asked. */
export type ReadBody = (c: Context<EdgeEnv>) => Promise<void>

export const readsBody = (read: ReadBody) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    await read(c)
    await next()
  })

export function bodyReader(declared: RequestBody | undefined): ReadBody {
  const {
    optional = false,
    checkedByHandler = false,
    faults = {},
    maxBytes = limits.bodyBytes,
    unsupported = [],
    onlyKnown = false,
    schema: fields,
  } = declared ?? nothing
  const schema = checkedByHandler ? anyObject : fields
  const optionalFields = optionalFieldsOf(schema)
  async function read(c: Context<EdgeEnv>): Promise<void> {
    const type = c.req.header('content-type')
    const length = Number(c.req.header('content-length') ?? 0)
    if (length > maxBytes) throw new Fault('body_too_large')
    const wrongType = type !== undefined && !isJson(type)
    // Whoever waits with `Expect` for leave to send his body is refused without it.
    if (wrongType && length > 0) throw new Fault('unsupported_media_type')
    const raw = await readBounded(c.req.raw.body, maxBytes)
    c.set('rawBody', raw)
    if (wrongType && raw.length > 0) throw new Fault('unsupported_media_type')

    const parsedBody = optional && raw.length === 0 ? {} : parseJson(raw, faults)
    const given = tolerant(c.env) ? toleratedBody(c.req.path, parsedBody) : parsedBody
    const body =
      optional && Array.isArray(given) && given.length === 0 ? {} : withoutEmptyFields(given, optionalFields)
    const refused = unsupportedIn(body, onlyKnown ? strangersIn(body, optionalFields) : unsupported)
    if (refused) throw new Fault('invalid_body', `${refused} is not supported.`)
    const parsed = schema.safeParse(body, plainErrors)
    if (!parsed.success)
      throw new Fault(faultOf(parsed.error.issues[0]?.path, faults), sentenceOf(parsed.error))
    if (declared) c.set('body', parsed.data)
  }
  return (c) => {
    const reading = c.var.bodyRead ?? read(c)
    c.set('bodyRead', reading)
    return reading
  }
}

/** What a refusal left unread is read before it is answered, so that the caller hears why. */
export const drained = createMiddleware<EdgeEnv>(async (c, next) => {
  await next()
  const { body } = c.req.raw
  if (!body || body.locked || c.var.rawBody !== undefined) return
  // Whoever waits for leave to send has sent nothing, and does not once it is refused.
  if (c.req.header('expect') === undefined) await drain(body)
})

/** Of a body whose fields are all optional: those that it does not know. */
const strangersIn = (body: unknown, known: OptionalFields): string[] =>
  typeof body === 'object' && body ? Object.keys(body).filter((name) => !known.has(name)) : []

const isJson = (type: string) => /^application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type.trim())

const faultOf = ([field]: PropertyKey[] = [], faults: FieldFaults): FaultName =>
  (typeof field === 'string' && Object.hasOwn(faults, field) && faults[field]) || 'invalid_body'

function parseJson(raw: Uint8Array<ArrayBuffer>, faults: FieldFaults): unknown {
  const text = textOf(raw)
  if (depthOf(text) > DEEPEST)
    throw new Fault('invalid_json', `The body is nested deeper than ${DEEPEST} levels.`)
  const body = jsonOf(text)
  // Bytes of UTF-8 cannot spell half a character; only such an escape can.
  if (/\\u[dD][89a-fA-F]/.test(text)) refuseHalfCharacters(body, faults)
  return body
}

function textOf(raw: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    throw new Fault('invalid_json', 'The body is not valid UTF-8.')
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('invalid_json')
  }
}

function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (quoted) {
      if (char === '\\') i++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth)
    else if (char === '}' || char === ']') depth--
  }
  return deepest
}

/** They cannot be kept or sent as they are: whoever reads them later would read something else. */
function refuseHalfCharacters(value: unknown, faults: FieldFaults, path: PropertyKey[] = []): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw new Fault(faultOf(path, faults), `${placeOf(path)} must not hold half of a surrogate pair.`)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (!key.isWellFormed())
      throw new Fault(
        faultOf(path, faults),
        `${placeOf(path)} must not have half of a surrogate pair in a field's name.`,
      )
    refuseHalfCharacters(inner, faults, [...path, Array.isArray(value) ? Number(key) : key])
  }
}
