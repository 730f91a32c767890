// Templates of the Cloud API: texts that the operator has stored, with the values of a program in the places of their variables.

import {
  parseTemplates,
  type StoredTemplates,
  TEMPLATES_EXPECTED,
} from '@msgnet/shared/contract/stored-templates.ts'
import type { Context } from 'hono'
import type { DialectInput } from '../http/dialect-app.ts'
import { type Fields, listObjects, readObject, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { requireNamed } from './cloud-instances.ts'

let stored: { setting: string; templates: StoredTemplates } = { setting: '', templates: {} }

/** Throws if the setting is wrong, which the start of a gateway has found before. */
export function readTemplates({ CLOUD_TEMPLATES }: Env): StoredTemplates {
  const setting = CLOUD_TEMPLATES ?? ''
  if (stored.setting === setting) return stored.templates
  const templates = parseTemplates(setting)
  if (!templates) throw new Error(`CLOUD_TEMPLATES ${TEMPLATES_EXPECTED}.`)
  stored = { setting, templates }
  return templates
}

const createMismatch = (details: string) =>
  new CloudRefusal(132000, 'Number of parameters does not match', details)

/** What is sent: a text, or a file with it. */
export interface FilledTemplate {
  text: string
  /** As in a message of its type. */
  file?: { type: string; fields: Fields }
}

export function fillTemplate(env: Env, template: Fields): FilledTemplate {
  const name = readText(template.name)
  const language = readText(readObject(template.language).code)
  const templates = readTemplates(env)
  const texts = Object.hasOwn(templates, name) ? (templates[name] ?? {}) : {}
  const text = Object.hasOwn(texts, language) ? texts[language] : undefined
  if (text === undefined)
    throw new CloudRefusal(
      132001,
      'Template does not exist',
      `No text is stored for template name (${name}) in ${language}.`,
    )
  const components = listObjects(template.components).map(({ type, parameters }) => ({
    type: readText(type).toLowerCase(),
    parameters: listObjects(parameters),
  }))
  const values = components.filter(({ type }) => type === 'body').flatMap(({ parameters }) => parameters)
  const file = findFile(components.filter(({ type }) => type !== 'body'))
  return { text: fillText(text, values), ...(file && { file }) }
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g

/** By place, from 1, or by `parameter_name`. Each variable needs a value, and each value a variable. */
function fillText(text: string, parameters: Fields[]): string {
  const names = new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))
  const values = new Map(
    parameters.map((parameter, place) => [
      readText(parameter.parameter_name) || String(place + 1),
      readValue(parameter),
    ]),
  )
  const missing = [...names].filter((name) => !values.has(name))
  if (missing.length > 0) throw createMismatch(`body has no value for ${missing.join(', ')}.`)
  if (values.size > names.size || parameters.length !== values.size)
    throw createMismatch(`body has ${parameters.length} values, and the text ${names.size} variables.`)
  return text.replace(VARIABLE, (_, name: string) => values.get(name) ?? '')
}

/** Sums and dates have the words that are shown of them. */
function readValue({ type, text, currency, date_time: date }: Fields): string {
  if (type === 'currency') return readText(readObject(currency).fallback_value)
  if (type === 'date_time') return readText(readObject(date).fallback_value)
  return readText(text)
}

const fileTypes = ['image', 'video', 'document']

/** Above the text; nothing else can be there, because the stored text is the whole message. */
function findFile(others: { type: string; parameters: Fields[] }[]): FilledTemplate['file'] {
  const [first, ...more] = others.filter(({ type, parameters }) => type !== 'header' || parameters.length > 0)
  if (!first) return undefined
  const type = readText(first.parameters[0]?.type)
  if (first.type !== 'header' || more.length > 0 || !fileTypes.includes(type))
    throw new CloudRefusal(
      132012,
      'Parameter format does not match',
      `components can have values for the body, and a file in the header, but not ${first.type}.`,
    )
  return { type, fields: readObject(first.parameters[0]?.[type]) }
}

export function listTemplates(c: Context<EdgeEnv>, { params, query }: DialectInput) {
  requireNamed(c, params.waba)
  const data = Object.entries(readTemplates(c.env))
    .filter(([name]) => query.name === undefined || name === query.name)
    .flatMap(([name, texts]) =>
      Object.entries(texts).map(([language, text]) => ({
        id: `${name}.${language}`,
        name,
        language,
        status: 'APPROVED',
        category: 'UTILITY',
        components: [{ type: 'BODY', text }],
      })),
    )
  return { data, paging: {} }
}
