// Values that a schema of the document allows, and values that it refuses, as a generator of requests makes them.

import fc from 'fast-check'
import { document, findFaults } from './documented.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any reader of JSON does.
type Schema = any

const resolveSchema = (schema: Schema): Schema =>
  schema.$ref ? resolveSchema(document.components.schemas[schema.$ref.split('/').at(-1)]) : schema

const DAY = 86_400_000

/** Only values that satisfy the whole schema, with its rules between fields. */
export const generateValid = (schema: Schema): fc.Arbitrary<unknown> =>
  generateFrom(schema).filter((value) => findFaults(schema, value) === '')

function generateFrom(reference: Schema): fc.Arbitrary<unknown> {
  const schema = resolveSchema(reference)
  // Only the world outside says whether an address leads somewhere, and bytes are a picture.
  if (schema.examples) return fc.constantFrom(...schema.examples)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  const forms = schema.anyOf ?? schema.oneOf
  if (forms) return fc.oneof(...forms.map(generateFrom))
  const types: string[] = [schema.type].flat()
  return fc.oneof(
    ...types.map((type) => ({
      weight: type === 'null' ? 1 : 4,
      arbitrary: generators[type]?.(schema) ?? fc.constant({}),
    })),
  )
}

const generators: Record<string, (schema: Schema) => fc.Arbitrary<unknown>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  string: generateText,
  integer: ({ minimum = 0, maximum = 1000 }) =>
    fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum)),
  number: ({ minimum = -1000, maximum = 1000 }) => fc.double({ min: minimum, max: maximum, noNaN: true }),
  array: ({ items = {}, minItems = 0, maxItems = 4 }) =>
    fc.array(generateFrom(items), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(4, maxItems)),
    }),
  object: (schema) => fc.oneof(...listForms(schema).map(generateObject)),
}

function generateObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries<Schema>(properties).map(([name, field]) => [name, generateFrom(field)])
  return fc.record(Object.fromEntries(fields), { requiredKeys: required })
}

/** A rule of two branches makes two forms of an object, so that few values are made in vain. */
function listForms(schema: Schema): Schema[] {
  const rules = [schema, ...(schema.allOf ?? [])].filter((rule) => rule.if)
  return rules.reduce(
    (forms, rule) =>
      forms.flatMap((form: Schema) => [
        mergeRules(form, rule.if, rule.then),
        mergeRules(form, rule.else ?? {}),
      ]),
    [schema],
  )
}

function mergeRules(form: Schema, ...rules: Schema[]): Schema {
  const properties = { ...form.properties }
  // What a rule says of the kind of a field is left to the filter.
  for (const [name, rule] of rules.flatMap((one) => Object.entries<Schema>(one.properties ?? {})))
    properties[name] = { ...properties[name], ...(rule.enum && { enum: rule.enum, examples: undefined }) }
  const required = [form, ...rules].flatMap((one) => one.required ?? [])
  return { ...form, properties, required: [...new Set(required)] }
}

function generateText({ format, pattern, minLength = 0, maxLength = 1000 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time')
    return fc.integer({ min: 1, max: 28 }).map((days) => new Date(Date.now() + days * DAY).toISOString())
  const longest = fc.constant('🧭'.repeat(Math.min(maxLength, 1000)))
  const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) })
  const made =
    pattern === undefined ? fc.oneof({ weight: 6, arbitrary: free }, longest) : generateMatch(pattern)
  return made.filter(
    (text) => text.isWellFormed() && [...text].length >= minLength && [...text].length <= maxLength,
  )
}

/** A generator of matches takes tens of milliseconds to be made, and a schema with rules asks for the same one hundreds of times. */
const matching = new Map<string, fc.Arbitrary<string>>()

function generateMatch(pattern: string): fc.Arbitrary<string> {
  const known = matching.get(pattern)
  if (known) return known
  const made =
    pattern === '\\S'
      ? fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => /\S/.test(text))
      : fc.stringMatching(new RegExp(pattern))
  matching.set(pattern, made)
  return made
}

const junk = fc.oneof(
  fc.constantFrom(null, true, 1.5, -1, 1e9, ' ', '!', 'x'.repeat(70_000), [], {}, ['x'], { x: 1 }, '\u0000'),
  fc.string({ maxLength: 20 }).filter((text) => text !== ''),
)

/** A valid object in which one field is wrong or missing, or no object at all. */
export function generateInvalid(schema: Schema): fc.Arbitrary<unknown> {
  const names = listNames(schema)
  const changed = fc
    .tuple(generateValid(schema), fc.constantFrom(...names), fc.option(junk))
    .map(([value, name, wrong]) => {
      const { [name]: _, ...others } = value as Record<string, unknown>
      return wrong === null ? others : { ...others, [name]: wrong }
    })
  return fc
    .oneof({ weight: 12, arbitrary: changed }, fc.constantFrom<unknown>([1], 'x', 7, null))
    .filter((value) => findFaults(schema, value) !== '')
}

function listNames(reference: Schema): string[] {
  const schema = resolveSchema(reference)
  return schema.anyOf ? schema.anyOf.flatMap(listNames) : Object.keys(schema.properties ?? {})
}
