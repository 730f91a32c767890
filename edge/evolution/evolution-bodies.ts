// What rows of this form have in common: where their fields are, and what they become.

import type { RowForm } from '../http/dialect-rows.ts'
import { readObject, readText } from '../http/read-fields.ts'
import { createTypedReader } from '../http/typed-fields.ts'
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

/** A name means the same in each request, but for `webhook`, `message` and `readMessages`, and the `key` of a payment. */
export const readTyped = createTypedReader(
  {
    string: `number text caption mediatype media mimetype fileName audio video sticker name address id remoteJid fullName phoneNumber
      wuid organization email url reaction title description footerText buttonText rowId footer type displayText copyCode content
      backgroundColor presence status chat labelId action messageType keyId subject groupJid inviteCode image picture messageId
      readreceipts profile online last groupadd msgCall host port protocol username password instanceName integration proxyHost
      proxyPort proxyProtocol proxyUsername proxyPassword`,
    integer: 'delay selectableCount font expiration page offset take skip',
    number: 'latitude longitude',
    boolean: `linkPreview mentionsEveryOne everyOne fromMe encoding allContacts archive convertToMp4 enabled byEvents base64
      webhookByEvents webhookBase64 webhook_by_events webhook_base64 qrcode rejectCall groupsIgnore alwaysOnline readStatus syncFullHistory`,
    object: 'quoted mentions where headers',
    any: 'key',
    strings: 'mentioned values numbers participants events statusJidList',
    objects: 'contact sections rows buttons',
  },
  (path, type) => createInvalid(`instance.${path} is not of a type(s) ${type}`),
)

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
    return readTyped(Object.assign({}, query, ...wrapped.map((name) => readObject(body[name])), body))
  },
  createMissing,
}
