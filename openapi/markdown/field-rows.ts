// Makes the table of a schema's fields as Markdown.

import {
  describeLimits,
  describePresence,
  describeType,
  listFields,
  type Piece,
  type Writer,
} from '../field-words.ts'
import type { Schema, ShownSchemas } from '../shown-schemas.ts'
import { escapeProse, writeCell } from './prose.ts'

export function writeFieldTable(schema: Schema, schemas: ShownSchemas, writer: Writer): string {
  const rows = listFields(schema, schemas).map(({ name, isRequired, schema: field }) => {
    const limits = describeLimits(field).map(writePieces)
    const type = [writeType(field, writer), ...limits, describePresence(isRequired, writer)]
    return `| \`${name}\` | ${writeCell(type.filter(Boolean).join(', '))} | ${writeCell(escapeProse(field.description ?? ''))} |`
  })
  if (rows.length === 0) return 'No fields.'
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n')
}

export const writeType = (schema: Schema, writer: Writer): string =>
  writePieces(describeType(schema, writer, ' or '))

const writeRecordLink = (name: string): string => `[${name}](/reference/records#${name})`

const writePieces = (pieces: Piece[]): string => pieces.map(writePiece).join('')

function writePiece(piece: Piece): string {
  if (typeof piece === 'string') return piece
  return 'record' in piece ? writeRecordLink(piece.record) : `\`${JSON.stringify(piece.value)}\``
}
