// Reads query parameters: each must occur once, be valid UTF-8 and have the right type.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import * as z from 'zod'

type Request = Pick<Context, 'req'>

/** Throws `invalid_query` if a parameter occurs twice or is not valid UTF-8. */
export function validateQuery({ req }: Request): void {
  const { url } = req
  const start = url.indexOf('?')
  if (start < 0) return
  if (!isDecodable(url.slice(start)))
    throw new Fault('invalid_query', 'The query must be percent-encoded UTF-8.')
  const names = new Set<string>()
  for (const name of new URL(url).searchParams.keys()) {
    if (names.has(name)) throw new Fault('invalid_query', `${name} must be given once.`)
    names.add(name)
  }
}

/** Half of a surrogate pair has no UTF-8 either. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

interface Range {
  min: number
  max?: number | undefined
  fault: FaultName
}

/** An integer in its range; undefined if the parameter is absent. */
export function parseInteger(
  name: string,
  text: string | undefined,
  { min, max = Number.MAX_SAFE_INTEGER, fault }: Range,
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,16}$/.test(text) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new Fault(fault, `${name} must be a whole number ${range}.`)
}

/**
 * The query, parsed by the schemas of its route. A required text that is missing becomes the empty text, which the handler
 * refuses in its own words.
 */
export function parseQuery(
  { req }: Request,
  { query, queryFaults = {}, onlyKnownQuery }: Route,
): Record<string, unknown> {
  const fields: [string, z.ZodType][] = Object.entries(query?.shape ?? {})
  if (onlyKnownQuery) rejectUnknownParameters(req.url, Object.keys(query?.shape ?? {}))
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const value = parseParameter(name, req.query(name), field, queryFaults[name] ?? 'invalid_query')
      return [
        name,
        value ?? field.safeParse(undefined).data ?? (field instanceof z.ZodString ? '' : undefined),
      ]
    }),
  )
}

function rejectUnknownParameters(url: string, known: string[]): void {
  const name = [...new URL(url).searchParams.keys()].find((one) => !known.includes(one))
  if (name === undefined) return
  const names = known.length > 0 ? `it is none of ${known.join(', ')}` : 'this route has no parameters'
  throw new Fault('invalid_query', `${name} must be left out: ${names}.`)
}

/** Undefined if the parameter is absent or empty. */
function parseParameter(name: string, text: string | undefined, field: z.ZodType, fault: FaultName): unknown {
  const kind = unwrapSchema(field)
  if (kind instanceof z.ZodNumber)
    return parseInteger(name, text, { min: kind.minValue ?? 0, max: kind.maxValue ?? undefined, fault })
  if (!text) return undefined
  if (kind instanceof z.ZodEnum) return parseWord(name, text, kind.options.map(String), fault)
  const { data, error } = field.safeParse(text, issueMessages)
  if (error) throw new Fault(fault, describeFirstIssue(error, [name]))
  return data
}

/** The schema without its wrappers for `optional` and defaults. */
function unwrapSchema(field: z.ZodType): z.ZodType {
  const { innerType } = field.def as { innerType?: z.ZodType }
  return innerType ? unwrapSchema(innerType) : field
}

function parseWord(name: string, text: string, words: string[], fault: FaultName): string {
  if (words.includes(text)) return text
  throw new Fault(fault, `${name} must be one of ${words.join(', ')}.`)
}
