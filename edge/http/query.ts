// Query parameters: each once, in well-formed UTF-8, and of the right kind.

import type { Context } from 'hono'
import type * as z from 'zod'
import { inWords, sentenceOf } from '../../shared/contract/wording.ts'
import { Fault, type FaultName } from '../../shared/faults.ts'

type Request = Pick<Context, 'req'>

/** Throws `invalid_query` for a query that says two things, or nothing that is text. */
export function judgeQuery({ req }: Request): void {
  const { url } = req
  const start = url.indexOf('?')
  if (start < 0) return
  if (!isDecodable(url.slice(start)))
    throw new Fault('invalid_query', 'The query must be percent-encoded UTF-8.')
  const seen = new Set<string>()
  for (const name of new URL(url).searchParams.keys()) {
    if (seen.has(name)) throw new Fault('invalid_query', `${name} must be given once.`)
    seen.add(name)
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
  max?: number
  fault: FaultName
}

/** An integer in its range, undefined when it was not given. */
export const integerQuery = ({ req }: Request, name: string, range: Range): number | undefined =>
  integerIn(name, req.query(name), range)

export function integerIn(
  name: string,
  given: string | undefined,
  { min, max = Number.MAX_SAFE_INTEGER, fault }: Range,
): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (/^\d{1,16}$/.test(given) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new Fault(fault, `${name} must be a whole number ${range}.`)
}

/** One of the known words, undefined when none was given. */
export function wordQuery<Word extends string>(
  { req }: Request,
  name: string,
  words: readonly Word[],
  fault: FaultName,
): Word | undefined {
  const given = req.query(name)
  if (!given) return undefined
  const found = words.find((word) => word === given)
  if (found) return found
  throw new Fault(fault, `${name} must be one of ${words.join(', ')}.`)
}

/** What fits its schema, undefined when nothing was given. */
export function textQuery({ req }: Request, name: string, schema: z.ZodString): string | undefined {
  const given = req.query(name)
  if (!given) return undefined
  const { data, error } = schema.safeParse(given, inWords)
  if (error) throw new Fault('invalid_query', sentenceOf(error, [name]))
  return data
}
