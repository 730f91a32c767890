// Reads the fields of messages of the Cloud API, whose names have a type each; some programs write an object, or a list, as JSON in a text.

import { type Fields, isObject } from '../http/read-fields.ts'
import { createTypedReader } from '../http/typed-fields.ts'
import { CloudRefusal } from './cloud-errors.ts'

export const createWrong = (details: string) =>
  new CloudRefusal(131009, 'Parameter value is not valid', details)

const readTyped = createTypedReader(
  {
    string: `to recipient biz_opaque_callback_data message_id caption filename link id emoji formatted_name first_name phone wa_id
      company email url title description button display_text code address parameter_name`,
    number: 'latitude longitude',
    boolean: 'preview_url voice',
    object: `context location reaction image video audio document sticker template language interactive header footer action reply
      org`,
    objects: 'contacts phones emails urls buttons sections rows components',
    any: 'text body name parameters',
  },
  (path, type) => createWrong(`${path} must be of type ${type}.`),
)

/** Of a message to send, and of what its type names. */
export function readMessage(body: Fields): Fields {
  const type = String(body.type ?? 'text')
  if (body[type] === undefined) return readTyped(body)
  const content = parseText(type, body[type])
  if (!isObject(content) || content.action === undefined) return readTyped({ ...body, [type]: content })
  const action = parseText(`${type}.action`, content.action)
  return readTyped({ ...body, [type]: { ...content, action } })
}

function parseText(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw createWrong(`${name} is not valid JSON.`)
  }
}
