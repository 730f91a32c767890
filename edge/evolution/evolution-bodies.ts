// What rows of this form have in common: where their fields are, and what they become.

import type { RowForm } from '../http/dialect-rows.ts'
import { readObject, readText } from '../http/read-fields.ts'
import { requireNamed } from './evolution-callers.ts'
import { createInvalid } from './evolution-errors.ts'
import { listNumbers, toGroupId, toOwnId } from './evolution-ids.ts'

export const createMissing = (field: string) => createInvalid(`instance requires property "${field}"`)

/** Throws unless it is one of these. */
export function requireKnown(field: string, value: unknown, values: readonly string[]): string {
  const found = values.find((one) => one === value)
  if (found === undefined)
    throw createInvalid(`instance.${field} is not one of enum values: ${values.join()}`)
  return found
}

/** The objects in which versions of Evolution have the fields. */
const WRAPPER = /^(options|webhook|proxy)$|^[a-z]+Message$/

const STRUCTURED =
  'quoted mentioned mentions mentionsEveryOne everyOne linkPreview encoding options allContacts statusJidList'

export const evolutionForm: RowForm = {
  suffix: '/{instance}',
  kinds: {
    file: readText,
    group: toGroupId,
    jid: toOwnId,
    jids: listNumbers,
    number: Number,
    text: readText,
  },
  structured: STRUCTURED.split(' '),
  readFields(c, { params, query, body }) {
    requireNamed(c, params.instance)
    const wrapped = Object.keys(body).filter((name) => WRAPPER.test(name))
    return Object.assign({}, query, ...wrapped.map((name) => readObject(body[name])), body)
  },
  createMissing,
}
