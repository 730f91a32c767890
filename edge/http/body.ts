// JSON bodies: bounded while they are read, parsed by the route's schema, and a refusal that names the field.

import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import { unhonouredIn } from '../../shared/contract/unhonoured.ts'
import { limits } from '../../shared/contract/version.ts'
import { inWords, placeOf, sentenceOf } from '../../shared/contract/wording.ts'
import { Fault, type FaultName } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { drain, readBounded } from './read-body.ts'
import { vacanciesOf, withoutVacant } from './vacant.ts'

/** Deeper than any body of the API, shallower than what would exhaust a stack. */
const DEEPEST = 32

export interface Body<Schema extends z.ZodType> {
  in: { json: z.input<Schema> }
  out: { json: z.output<Schema> }
}

/** A handler's context once `takes(schema)` has read the body. */
export type Taking<Schema extends z.ZodType> = Context<EdgeEnv, string, Body<Schema>>

/** The code for a field that has one of its own; any other field is `invalid_body`. */
type FieldFaults = Record<string, FaultName>

interface TakesOptions {
  faults?: FieldFaults
  /** No body at all stands for `{}`, and so does `[]`. */
  optional?: boolean
  atMost?: number
  /** Fields that are known and not honoured. */
  unhonoured?: readonly string[]
}

/** Reads the body into `c.req.valid('json')`. */
export function takes<Schema extends z.ZodType>(
  schema: Schema,
  { faults = {}, optional = false, atMost = limits.bodyBytes, unhonoured = [] }: TakesOptions = {},
): MiddlewareHandler<EdgeEnv, string, Body<Schema>> {
  const vacancies = vacanciesOf(schema)
  return async (c, next) => {
    const type = c.req.header('content-type')
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > atMost) throw new Fault('body_too_large')
    const raw = await readBounded(c.req.raw.body, atMost)
    c.set('rawBody', raw)
    if (type !== undefined && raw.length > 0 && !isJson(type)) throw new Fault('unsupported_media_type')

    const given = optional && raw.length === 0 ? {} : parseJson(raw, faults)
    const body = optional && Array.isArray(given) && given.length === 0 ? {} : withoutVacant(given, vacancies)
    const unheard = unhonouredIn(body, unhonoured)
    if (unheard) throw new Fault('invalid_body', `${unheard} is not supported.`)
    const parsed = schema.safeParse(body, inWords)
    if (!parsed.success)
      throw new Fault(faultOf(parsed.error.issues[0]?.path, faults), sentenceOf(parsed.error))
    c.req.addValidatedData('json', parsed.data as object)
    await next()
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
