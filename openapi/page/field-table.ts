// Makes the table of a schema's fields: name, type with its limits, and meaning.

import type { JsonSchema } from '../json-schemas.ts'
import { type Html, html, renderInline } from './html.ts'

type Schema = JsonSchema & { $ref?: string }

interface Row {
  name: string
  required: boolean
  schema: Schema
}

/** Marks required fields of requests, and optional fields of responses. */
export function renderFieldTable(rows: Row[], side: 'written' | 'read'): Html {
  if (rows.length === 0) return html`<p class="quiet">No fields.</p>`
  return html`<table class="fields">${rows.map(
    ({ name, required, schema }) => html`<tr>
      <th><code>${name}</code>${renderMark(required, side)}</th>
      <td><p>${renderType(schema)}${renderLimits(schema)}</p>${schema.description && html`<p>${renderInline(schema.description)}</p>`}</td></tr>`,
  )}</table>`
}

const renderMark = (required: boolean, side: 'written' | 'read') =>
  side === 'written'
    ? required && html`<span class="must">required</span>`
    : !required && html`<span class="may">may be absent</span>`

/** The fields of an unnamed object are listed with its path: `chat.id`. */
export function listRows(schema: Schema, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = property as Schema
    const row = { name: prefix + name, required: schema.required?.includes(name) ?? false, schema: field }
    return [row, ...listRows(field, `${prefix}${name}.`)]
  })
}

export const getSchemaName = (ref: string): string => ref.split('/').at(-1) ?? ''

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
  return html`${limits.map((limit) => html`<span class="limit">${limit}</span>`)}`
}

function renderRange(from: number | undefined, to: number | undefined, of: string): Html | false {
  if (from === undefined && to === undefined) return false
  if (to === undefined) return html`at least ${formatCount(from)} ${of}`
  if (from === undefined) return html`up to ${formatCount(to)} ${of}`
  return html`${formatCount(from)} to ${formatCount(to)} ${of}`
}

const formatCount = (value: number | undefined) => (value ?? 0).toLocaleString('en')
