// Makes the table of a schema's fields as Markdown.

import { getSchemaName, type Schema, type ShownSchemas } from '../page/shown-schemas.ts'
import { escapeProse, writeCell } from './prose.ts'

/** `side`: who writes the object; a field is marked where that one may not take it for granted. */
export function writeFieldTable(schema: Schema, schemas: ShownSchemas, side: 'caller' | 'gateway'): string {
  const rows = listRows(schema, schemas, side, '')
  if (rows.length === 0) return 'No fields.'
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n')
}

/** The fields of an object that is no record are listed with its path: `chat.id`. */
function listRows(
  schema: Schema,
  schemas: ShownSchemas,
  side: 'caller' | 'gateway',
  prefix: string,
): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = schemas.resolveHere(property as Schema)
    const isRequired = schema.required?.includes(name) ?? false
    const mark = side === 'caller' ? isRequired && ', required' : !isRequired && ', may be absent'
    const type = `${writeType(field, side)}${writeLimits(field)}${mark || ''}`
    const row = `| \`${prefix}${name}\` | ${writeCell(type)} | ${writeCell(escapeProse(field.description ?? ''))} |`
    return [row, ...listRows(field, schemas, side, `${prefix}${name}.`)]
  })
}

/** In a request `null` stands for an absent field, which the first page says once. */
export function writeType(schema: Schema, side: 'caller' | 'gateway'): string {
  if (schema.$ref) return writeRecordLink(getSchemaName(schema.$ref))
  if (schema.const !== undefined) return writeValue(schema.const)
  const hidesNull = side === 'caller'
  if (schema.enum)
    return schema.enum
      .filter((value) => value !== null || !hidesNull)
      .map(writeValue)
      .join(' or ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) {
    const forms = (either as Schema[]).filter(({ type }) => type !== 'null' || !hidesNull)
    return forms.map((form) => writeType(form, side)).join(' or ')
  }
  if (schema.type === 'array')
    return `array of ${schema.items ? writeType(schema.items as Schema, side) : 'anything'}`
  const types = [schema.type ?? 'anything'].flat().filter((type) => type !== 'null' || !hidesNull)
  return schema.format ?? types.join(' or ')
}

export const writeRecordLink = (name: string): string => `[${name}](/reference/records#${name})`

const writeValue = (value: unknown): string => `\`${JSON.stringify(value)}\``

function writeLimits(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset } = schema
  return [
    writeRange(minLength, maxLength, ' characters'),
    writeRange(minimum, maximum, ''),
    writeRange(minItems, maxItems, ' items'),
    preset === undefined ? '' : `, default ${writeValue(preset)}`,
  ].join('')
}

function writeRange(from: number | undefined, to: number | undefined, unit: string): string {
  const most = to === Number.MAX_SAFE_INTEGER ? undefined : to
  if (from === undefined && most === undefined) return ''
  if (most === undefined) return `, at least ${formatCount(from)}${unit}`
  if (from === undefined) return `, up to ${formatCount(most)}${unit}`
  return `, ${formatCount(from)} to ${formatCount(most)}${unit}`
}

const formatCount = (value = 0): string => value.toLocaleString('en')
