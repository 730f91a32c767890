// JSON bodies: bounded while they are read, parsed by the route's schema, and a refusal that names the field.

import type { Context, MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { limits } from '../../shared/contract/version.ts'
import { Fault, type FaultName } from '../../shared/faults.ts'
import { concat } from '../bytes.ts'
import type { EdgeEnv } from '../context.ts'

/** Deeper than any body of the API, shallower than what would exhaust a stack. */
const DEEPEST = 32

export interface Body<Schema extends z.ZodType> {
  in: { json: z.input<Schema> }
  out: { json: z.output<Schema> }
}

/** A handler's context once `takes(schema)` has read the body. */
export type Taking<Schema extends z.ZodType> = Context<EdgeEnv, string, Body<Schema>>

interface TakesOptions {
  /** The code for a field that has one of its own; any other field is `invalid_body`. */
  faults?: Record<string, FaultName>
  /** No body at all stands for `{}`. */
  optional?: boolean
  atMost?: number
}

/** Reads the body into `c.req.valid('json')`. */
export function takes<Schema extends z.ZodType>(
  schema: Schema,
  { faults = {}, optional = false, atMost = limits.bodyBytes }: TakesOptions = {},
): MiddlewareHandler<EdgeEnv, string, Body<Schema>> {
  return async (c, next) => {
    const type = c.req.header('content-type')
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > atMost) throw new Fault('body_too_large')
    const raw = await readBounded(c.req.raw.body, atMost)
    if (type !== undefined && raw.length > 0 && !isJson(type)) throw new Fault('unsupported_media_type')
    c.set('rawBody', raw)

    const parsed = schema.safeParse(optional && raw.length === 0 ? {} : parseJson(raw))
    if (!parsed.success) throw refusalOf(parsed.error, faults)
    c.req.addValidatedData('json', parsed.data as object)
    await next()
  }
}

const isJson = (type: string) => /^application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i.test(type.trim())

async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  atMost: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > atMost) throw new Fault('body_too_large')
    chunks.push(chunk)
  }
  return concat(chunks)
}

function parseJson(raw: Uint8Array<ArrayBuffer>): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
    if (depthOf(text) > DEEPEST)
      throw new Fault('invalid_json', `The body is nested deeper than ${DEEPEST} levels.`)
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('invalid_json')
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

function refusalOf(error: z.ZodError, faults: Record<string, FaultName>): Fault {
  const [issue] = error.issues
  const field = String(issue?.path[0] ?? '')
  const place = issue?.path.join('.') || 'body'
  return new Fault(faults[field] ?? 'invalid_body', `${place}: ${issue?.message ?? 'not valid'}`)
}
