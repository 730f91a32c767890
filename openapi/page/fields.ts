// Makes the table of a schema's fields: name, type with its limits, and meaning.

import type { JsonSchema } from '../schemas.ts'
import { type Html, html, inline } from './html.ts'

type Schema = JsonSchema & { $ref?: string }

interface Row {
  name: string
  required: boolean
  schema: Schema
}

/** Marks required fields of requests, and optional fields of answers. */
export function fieldTable(rows: Row[], side: 'written' | 'read'): Html {
  if (rows.length === 0) return html`<p class="quiet">No fields.</p>`
  return html`<table class="fields">${rows.map(
    ({ name, required, schema }) => html`<tr>
      <th scope="row"><code>${name}</code>${mark(required, side)}</th>
      <td><div class="type">${typeOf(schema)}${limitsOf(schema)}</div>${schema.description && html`<div>${inline(schema.description)}</div>`}</td></tr>`,
  )}</table>`
}

const mark = (required: boolean, side: 'written' | 'read') =>
  side === 'written'
    ? required && html`<span class="must">required</span>`
    : !required && html`<span class="may">may be absent</span>`

/** The fields of an unnamed object are listed with its path: `chat.id`. */
export function rowsOf(schema: Schema, prefix = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = property as Schema
    const row = { name: prefix + name, required: schema.required?.includes(name) ?? false, schema: field }
    return [row, ...rowsOf(field, `${prefix}${name}.`)]
  })
}

export const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ''

export function typeOf(schema: Schema): Html {
  if (schema.$ref) return html`<a href="#${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (schema.const !== undefined) return word(schema.const)
  if (schema.enum) return joined(schema.enum.map(word), ' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either)
    return joined(
      either.map((one) => typeOf(one as Schema)),
      ' or ',
    )
  if (schema.type === 'array')
    return html`array of ${schema.items ? typeOf(schema.items as Schema) : 'anything'}`
  return html`${schema.format ?? schema.type ?? 'anything'}`
}

const word = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`

const joined = (parts: Html[], by: string) => html`${parts.map((part, index) => [index > 0 && by, part])}`

function limitsOf(schema: Schema): Html {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset } = schema
  const told = [
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'items'),
    preset !== undefined && html`default <code>${JSON.stringify(preset)}</code>`,
  ].filter((limit) => limit !== false)
  return html`${told.map((limit) => html`<span class="limit">${limit}</span>`)}`
}

function range(from: number | undefined, to: number | undefined, of: string): Html | false {
  if (from === undefined && to === undefined) return false
  if (to === undefined) return html`at least ${count(from)} ${of}`
  if (from === undefined) return html`up to ${count(to)} ${of}`
  return html`${count(from)} to ${count(to)} ${of}`
}

const count = (value: number | undefined) => (value ?? 0).toLocaleString('en')
