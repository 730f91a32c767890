// JSON Schema to values: mostly what the schema asks for, and now and then something that it does not.

import fc from 'fast-check'

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
  example?: unknown
  examples?: unknown[]
}

/** Looks a `$ref` up in the document. */
export type Lookup = (ref: string) => Schema

const LONGEST_STRING = 300

/** Anything that JSON can say, odd strings and numbers included. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '5511999999999',
    '-1',
    'true',
    '__proto__',
    '＠',
    '😀'.repeat(60),
    1e308,
    -0,
    2 ** 53,
  ),
)

/** One field in eight is junk: enough to visit every refusal, not so much that nothing gets past the first. */
export function generateValues(schema: Schema, lookup: Lookup): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 7, arbitrary: generateFitting(schema, lookup) }, { weight: 1, arbitrary: junk })
}

function generateFitting(schema: Schema, lookup: Lookup): fc.Arbitrary<unknown> {
  if (schema.$ref) return generateFitting(lookup(schema.$ref), lookup)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return fc.oneof(...alternatives.map((each) => generateFitting(each, lookup)))
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((each) => generateFitting(each, lookup)))
      .map((parts) => Object.assign({}, ...parts))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'object':
      return generateObjects(schema, lookup)
    case 'array':
      return fc.array(generateValues(schema.items ?? {}, lookup), { maxLength: 5 })
    case 'integer': {
      const { minimum: min = -10, maximum: max = min + 1000 } = schema
      return fc.integer({ min, max })
    }
    case 'number': {
      const { minimum: min = -1000, maximum: max = min + 2000 } = schema
      return fc.double({ min, max, noNaN: true })
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return generateStrings(schema)
    default:
      return junk
  }
}

function generateObjects({ properties = {}, required = [] }: Schema, lookup: Lookup): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, generateValues(schema, lookup)] as const,
  )
  const requiredKeys = required.filter((name) => name in properties)
  return fc
    .tuple(
      fc.record(Object.fromEntries(fields), { requiredKeys }),
      fc.dictionary(fc.string({ maxLength: 12 }), junk, { maxKeys: 1 }),
      fc.integer({ min: 0, max: 7 }),
    )
    .map(([known, unknown, dice]) => (dice === 0 ? { ...known, ...unknown } : known))
}

function generateStrings({
  minLength = 0,
  maxLength = LONGEST_STRING,
  examples,
  example,
}: Schema): fc.Arbitrary<string> {
  const samples = [...(examples ?? []), example].filter((each): each is string => typeof each === 'string')
  const made = fc.string({
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, LONGEST_STRING)),
    unit: 'grapheme',
  })
  // A free string seldom is a number or a URL: what the document shows as an example gets past the first check.
  return samples.length > 0 ? fc.oneof(fc.constantFrom(...samples), made) : made
}
