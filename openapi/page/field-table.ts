// Makes the table of a schema's fields: name, type with its limits, and meaning.

import {
  describeLimits,
  describePresence,
  describeType,
  type Field,
  type Piece,
  type Writer,
} from '../field-words.ts'
import type { Schema } from '../shown-schemas.ts'
import { type Html, html, renderInline } from './html.ts'

export function renderFieldTable(fields: Field[], writer: Writer): Html {
  if (fields.length === 0) return html`<p class="quiet">No fields.</p>`
  return html`<table class="fields">${fields.map(
    // Without the end tags that HTML allows to leave out: of so many rows they would be 30 KB.
    ({ name, isRequired, schema }) =>
      html`<tr><th><code>${name}</code>${renderMark(isRequired, writer)}<td><p>${renderType(schema, writer)}${renderLimits(schema)}${schema.description && html`<p>${renderInline(schema.description)}`}`,
  )}</table>`
}

function renderMark(isRequired: boolean, writer: Writer): Html | false {
  const mark = describePresence(isRequired, writer)
  return mark !== '' && html`<span class="${writer === 'caller' ? 'must' : 'may'}">${mark}</span>`
}

export const renderType = (schema: Schema, writer: Writer): Html =>
  renderPieces(describeType(schema, writer, ' | '))

const renderLimits = (schema: Schema): Html =>
  html`${describeLimits(schema).map((limit) => html`<small>${renderPieces(limit)}</small>`)}`

const renderPieces = (pieces: Piece[]): Html => html`${pieces.map(renderPiece)}`

function renderPiece(piece: Piece): Html | string {
  if (typeof piece === 'string') return piece
  if ('record' in piece) return html`<a href="#${piece.record}">${piece.record}</a>`
  return html`<code>${JSON.stringify(piece.value)}</code>`
}
