// Turns a schema's refusal into a sentence for the caller: the field's name, then the requirement, in our own words.

import type * as z from 'zod'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** Options for every parse of a request. A schema's own message continues after the field's name: "must end in @g.us". */
export const issueMessages = { error: (issue: Issue): string => describeIssue(issue) }

/** One sentence about the first error; `under` is the path of the parsed value. */
export function describeFirstIssue({ issues: [issue] }: z.ZodError, under: PropertyKey[] = []): string {
  return `${formatFieldPath([...under, ...(issue?.path ?? [])])} ${issue?.message ?? 'is not valid'}.`
}

/** `mentions[0]`; an empty path is "The body". */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
  return steps.join('').replace(/^\./, '') || 'The body'
}

function describeIssue(issue: Issue): string {
  const what = describeRequirement(issue)
  return issue.input === undefined ? `is missing: it ${what}` : what
}

function describeRequirement(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${describeType(issue.expected)}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'too_small':
      return describeBound(issue.origin, 'at least', Number(issue.minimum))
    case 'too_big':
      return describeBound(issue.origin, 'at most', Number(issue.maximum))
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'of another form'}`
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`
    case 'invalid_union':
      return describeUnion(issue.errors)
    default:
      return 'is not valid'
  }
}

const formats: Record<string, string> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  url: 'a URL',
  email: 'an e-mail address',
}

const types: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
}
const describeType = (type: string) => types[type] ?? 'something else'

function describeBound(origin: string, comparison: string, number: number): string {
  if (origin === 'string')
    return comparison === 'at least' && number === 1
      ? 'must not be empty'
      : `must have ${comparison} ${formatCount(number, 'character')}`
  if (origin === 'array' || origin === 'set')
    return `must have ${comparison} ${formatCount(number, 'entry', 'entries')}`
  return `must be ${comparison} ${number}`
}

const formatCount = (number: number, one: string, more = `${one}s`) =>
  `${number} ${number === 1 ? one : more}`

/** Names all alternatives by type, or the error of the alternative that had the right type. */
function describeUnion(branches: z.core.$ZodIssue[][]): string {
  const firsts = branches.flatMap(([first]) => first ?? [])
  const fitting = firsts.find(({ code, path }) => code !== 'invalid_type' || path.length > 0)
  if (fitting) return fitting.message
  const names = firsts.map((first) => (first.code === 'invalid_type' ? describeType(first.expected) : ''))
  return `must be ${[...new Set(names)].join(' or ')}`
}
