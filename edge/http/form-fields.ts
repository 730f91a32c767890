// Reads a form in place of a JSON body, for the routes of dialects whose programs send a file as a part of one.

import type { FormBody } from '@msgnet/shared/api/route-declaration.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { readMediaType } from '../media/file-types.ts'
import { readHead } from '../request/idempotency-step.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { concatBytes, encodeUtf8 } from '../runtime/bytes.ts'
import { LongTexts } from '../runtime/long-texts.ts'
import { JsonShape } from './json-bounds.ts'
import type { ReadBody } from './parse-body.ts'
import { FORM_BYTES, isForm, readForm } from './read-form.ts'

/** A body that is no form is read as usual. */
export const createFormReader =
  (form: FormBody, readUsual: ReadBody): ReadBody =>
  (c, caller) =>
    isForm(c.req.header('content-type')) ? readFields(c, form) : readUsual(c, caller)

/** The file gets the name of its field, whatever its part is called. What the part says of it stands where the form has no field for it. */
async function readFields(c: Context<EdgeEnv>, { file: field, structured }: FormBody): Promise<void> {
  const form = await readForm(c, limits.maxUploadBytes + FORM_BYTES)
  const parts = [...form.entries()] as [string, string | File][]
  const texts = new Map<string, unknown>()
  const files: File[] = []
  for (const [name, value] of parts) {
    if (name === '__proto__') throw new Fault('invalid_body', `${name} must not be the name of a field.`)
    if (typeof value !== 'string') files.push(value)
    else if (structured.includes(name)) texts.set(name, joinValues(texts.get(name), parseText(value)))
    else texts.set(name, value)
  }
  const [file, ...others] = files
  if (others.length > 0) throw new Fault('invalid_body', 'The form must have one file.')
  if (file?.size === 0) throw new Fault('invalid_body', `${field} must not be empty.`)
  if (file && file.size > limits.maxUploadBytes) throw new Fault('body_too_large', `${field} is too large.`)
  const fields = Object.fromEntries(texts)
  if (c.req.header('idempotency-key') !== undefined) await retainFingerprint(c, fields, file)
  c.set('body', file ? { ...describeFile(file), ...fields, [field]: passFile(c, file) } : fields)
}

/** Beyond the first a value makes a list. */
function joinValues(before: unknown, value: unknown): unknown {
  if (before === undefined) return value
  if (!Array.isArray(before)) return [before, value]
  before.push(value)
  return before
}

/** JSON that is a text in a form; a text that is none stays what it is. */
function parseText(text: string): unknown {
  new JsonShape().addPiece(encodeUtf8(text))
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function describeFile({ name, type }: File) {
  const mimetype = readMediaType(type)
  return { ...(name && { fileName: name }), ...(mimetype && { mimetype }) }
}

/** Its bytes are not parsed: the call of the contract takes them by this name. */
function passFile(c: Context<EdgeEnv>, file: File): string {
  const longTexts = new LongTexts()
  c.set('longTexts', longTexts)
  return longTexts.addFile(file.stream())
}

/** Of what is in the form: programs separate the parts by other bytes each time, and send them in another order. */
async function retainFingerprint(c: Context<EdgeEnv>, fields: object, file: File | undefined): Promise<void> {
  const { name, type } = file ?? {}
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  const bytes = file ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array()
  c.set(
    'requestBytes',
    concatBytes([readHead(c), encodeUtf8(JSON.stringify({ fields: sorted, name, type })), bytes]),
  )
}
