// Makes the table of a schema's fields: name, type with its limits, and meaning.

import { type Html, html, renderInline } from './html.ts'
import { getSchemaName, type Schema, type ShownSchemas } from './shown-schemas.ts'

interface Row {
  name: string
  required: boolean
  schema: Schema
}

/** Marks required fields of requests, and optional fields of responses. */
export function renderFieldTable(rows: Row[], side: 'written' | 'read'): Html {
  if (rows.length === 0) return html`<p class="quiet">No fields.</p>`
  return html`<table class="fields">${rows.map(
    // Without the end tags that HTML allows to leave out: of so many rows they would be 30 KB.
    ({ name, required, schema }) =>
      html`<tr><th><code>${name}</code>${renderMark(required, side)}<td><p>${renderType(side === 'written' ? hideNull(schema) : schema)}${renderLimits(schema)}${schema.description && html`<p>${renderInline(schema.description)}`}`,
  )}</table>`
}

/** In a request `null` stands for an absent field, which the page says once. */
function hideNull(schema: Schema): Schema {
  const { type, enum: values, anyOf } = schema as Schema & { type?: unknown }
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : undefined
  return {
    ...schema,
    ...(types && { type: types[0] }),
    ...(values && types && { enum: values.filter((value) => value !== null) }),
    ...(anyOf && { anyOf: anyOf.filter((one) => (one as Schema).type !== 'null') }),
  }
}

const renderMark = (required: boolean, side: 'written' | 'read') =>
  side === 'written'
    ? required && html`<span class="must">required</span>`
    : !required && html`<span class="may">may be absent</span>`

/** The fields of an object that is no record are listed with its path: `chat.id`. */
export function listRows(schema: Schema, schemas: ShownSchemas, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = schemas.resolveHere(property as Schema)
    const row = { name: prefix + name, required: schema.required?.includes(name) ?? false, schema: field }
    return [row, ...listRows(field, schemas, `${prefix}${name}.`)]
  })
}

export function renderType(schema: Schema): Html {
  if (schema.$ref) return html`<a href="#${getSchemaName(schema.$ref)}">${getSchemaName(schema.$ref)}</a>`
  if (schema.const !== undefined) return renderValue(schema.const)
  if (schema.enum) return joinParts(schema.enum.map(renderValue), ' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either)
    return joinParts(
      either.map((one) => renderType(one as Schema)),
      ' or ',
    )
  if (schema.type === 'array')
    return html`array of ${schema.items ? renderType(schema.items as Schema) : 'anything'}`
  return html`${schema.format ?? schema.type ?? 'anything'}`
}

const renderValue = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`

const joinParts = (parts: Html[], by: string) => html`${parts.map((part, index) => [index > 0 && by, part])}`

function renderLimits(schema: Schema): Html {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset } = schema
  const limits = [
    renderRange(minLength, maxLength, 'characters'),
    renderRange(minimum, maximum, ''),
    renderRange(minItems, maxItems, 'items'),
    preset !== undefined && html`default <code>${JSON.stringify(preset)}</code>`,
  ].filter((limit) => limit !== false)
  return html`${limits.map((limit) => html`<small>${limit}</small>`)}`
}

function renderRange(from: number | undefined, to: number | undefined, of: string): Html | false {
  if (from === undefined && to === undefined) return false
  if (to === undefined || to === Number.MAX_SAFE_INTEGER) return html`at least ${formatCount(from)} ${of}`
  if (from === undefined) return html`up to ${formatCount(to)} ${of}`
  return html`${formatCount(from)} to ${formatCount(to)} ${of}`
}

const formatCount = (value: number | undefined) => (value ?? 0).toLocaleString('en')
