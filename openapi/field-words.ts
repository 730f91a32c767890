// What pages say of the fields of a schema: their types and limits in words, for the page at /docs and for the site.

import { getSchemaName, type Schema, type ShownSchemas } from './shown-schemas.ts'

/** Who writes the object. In a request `null` stands for an absent field, which the pages say once. */
export type Writer = 'caller' | 'gateway'

export interface Field {
  /** With its path in an object that is no record: `chat.id`. */
  name: string
  isRequired: boolean
  schema: Schema
}

/** Words, a value as JSON, or the name of a record, which has a place of its own. */
export type Piece = string | { value: unknown } | { record: string }

export function listFields(schema: Schema, schemas: ShownSchemas, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = schemas.resolveHere(property as Schema)
    const isRequired = schema.required?.includes(name) ?? false
    const own = { name: prefix + name, isRequired, schema: field }
    return [own, ...listFields(field, schemas, `${prefix}${name}.`)]
  })
}

/** A field is marked where the other side may not take it for granted. */
export function describePresence(isRequired: boolean, writer: Writer): string {
  if (writer === 'caller') return isRequired ? 'required' : ''
  return isRequired ? '' : 'may be absent'
}

/** `or`: what stands between values. */
export function describeType(schema: Schema, writer: Writer, or: string): Piece[] {
  if (schema.$ref) return [{ record: getSchemaName(schema.$ref) }]
  if (schema.const !== undefined) return [{ value: schema.const }]
  const isShown = (type: unknown) => writer === 'gateway' || (type !== 'null' && type !== null)
  if (schema.enum)
    return joinPieces(
      schema.enum.filter(isShown).map((value) => [{ value }]),
      or,
    )
  const either = schema.anyOf ?? schema.oneOf
  if (either) {
    const forms = (either as Schema[]).filter(({ type }) => isShown(type))
    return joinPieces(
      forms.map((form) => describeType(form, writer, or)),
      ' or ',
    )
  }
  if (schema.type === 'array')
    return ['array of ', ...(schema.items ? describeType(schema.items as Schema, writer, or) : ['anything'])]
  return [schema.format ?? [schema.type ?? 'anything'].flat().filter(isShown).join(' or ')]
}

const joinPieces = (parts: Piece[][], by: string): Piece[] =>
  parts.flatMap((part, index) => (index > 0 ? [by, ...part] : part))

/** Each by itself: `1 to 100 characters`, `default true`. */
export function describeLimits(schema: Schema): Piece[][] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset } = schema
  const ranges = [
    describeRange(minLength, maxLength, ' characters'),
    describeRange(minimum, maximum, ''),
    describeRange(minItems, maxItems, ' items'),
  ]
  return [
    ...ranges.filter(Boolean).map((range) => [range]),
    ...(preset === undefined ? [] : [['default ', { value: preset }]]),
  ]
}

function describeRange(from: number | undefined, to: number | undefined, unit: string): string {
  const most = to === Number.MAX_SAFE_INTEGER ? undefined : to
  if (from === undefined && most === undefined) return ''
  if (most === undefined) return `at least ${formatCount(from)}${unit}`
  if (from === undefined) return `up to ${formatCount(most)}${unit}`
  return `${formatCount(from)} to ${formatCount(most)}${unit}`
}

const formatCount = (value = 0): string => value.toLocaleString('en')
