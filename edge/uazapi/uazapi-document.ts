// The OpenAPI document of a server that speaks as uazapi: ids and records as they come, tokens in the query, and its own routes.

import { uazapiOperations, uazapiSchemas } from './uazapi-operations.ts'
import { toUazapiSpelling } from './uazapi-spelling.ts'

type Fields = Record<string, unknown>
type Security = Record<string, string[]>

interface Operation extends Fields {
  operationId?: string
  security?: Security[]
}

interface Document extends Fields {
  info: Fields & { description: string }
  paths: Record<string, Record<string, Operation>>
  components: Fields & { schemas: Record<string, Fields>; securitySchemes: Record<string, Fields> }
}

/** What this server gives up of the contract, for readers of the document. */
const INTRODUCTION = `This server runs with \`COMPATIBILITY=uazapi\`: ids end in \`@s.whatsapp.net\`, \`messageType\` begins with a capital letter, \`token\` and \`admintoken\` may be fields of the query, and events carry \`token\` and \`BaseUrl\`. A request with \`Accept: application/json;profile=contract\` gets the contract's own words.`
const ONLY_HEADERS = 'No header has a substitute: no bearer header, no query parameter.'

const ID_PATTERN = '@s\\.msgnet\\.net'
const UAZAPI_PATTERN = '@(s\\.whatsapp\\.net|c\\.us|s\\.msgnet\\.net)'

/** `document`: of the contract; it is not changed. */
export function toUazapiDocument(document: unknown): unknown {
  const converted = convertWords(document, '') as Document
  const { info, paths, components } = converted
  info.description = `${INTRODUCTION}\n\n${info.description.replace(` ${ONLY_HEADERS}`, '')}`
  addQueryTokens(converted)
  Object.assign(components.schemas, uazapiSchemas)
  addFields(components.schemas)
  for (const [path, operations] of Object.entries(uazapiOperations)) {
    const original = paths[path] ?? {}
    paths[path] = original
    for (const [method, change] of Object.entries(operations)) {
      const { like, ...own } = change
      const source = like ? paths[like]?.[method] : original[method]
      original[method] = { ...source, ...own }
    }
  }
  return converted
}

/** Samples are written as responses are; everywhere else only the ending of ids and one name differ. */
function convertWords(value: unknown, name: string): unknown {
  // A text is a body of lines, which has ids inside.
  if ((name === 'value' || name === 'example') && typeof value !== 'string') return toUazapiSpelling(value)
  if (typeof value === 'string')
    return name === 'pattern'
      ? value.replaceAll(ID_PATTERN, UAZAPI_PATTERN)
      : value.replaceAll('@s.msgnet.net', '@s.whatsapp.net').replaceAll('isInMsgnet', 'isInWhatsapp')
  if (Array.isArray(value)) return value.map((item) => convertWords(item, ''))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
  return Object.fromEntries(
    fields.map(([key, inner]) => [key === 'isInMsgnet' ? 'isInWhatsapp' : key, convertWords(inner, key)]),
  )
}

function addQueryTokens({ paths, components }: Document): void {
  const { securitySchemes } = components
  for (const name of ['instance', 'admin'])
    securitySchemes[`${name}InQuery`] = { ...securitySchemes[name], in: 'query' }
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations)))
    operation.security = (operation.security ?? []).flatMap((one) => [one, ...listQueryForms(one)])
}

const listQueryForms = (security: Security): Security[] => {
  const [[name = '', scopes = []] = [], ...others] = Object.entries(security)
  return others.length === 0 && ['instance', 'admin'].includes(name) ? [{ [`${name}InQuery`]: scopes }] : []
}

const text = (description: string) => ({ type: 'string', description })

/** Of its own requests and records, beside those of the contract. */
function addFields(schemas: Record<string, Fields>): void {
  const kept = {
    adminField01: text('What programs keep with the instance.'),
    adminField02: text('What programs keep with the instance.'),
    systemName: text('What programs keep with the instance.'),
  }
  extend(schemas.InitRequest, kept)
  extend(schemas.Instance, {
    ...kept,
    created: text('As `createdAt`, in the list of all instances.'),
    updated: text('As `updatedAt`, in the list of all instances.'),
  })
  for (const [name, schema] of Object.entries(schemas))
    if (name.endsWith('Envelope'))
      extend(schema, { token: text('The token of the instance.'), BaseUrl: text('Where this server is.') })
}

function extend(schema: Fields | undefined, more: Fields): void {
  if (schema) schema.properties = { ...(schema.properties as Fields | undefined), ...more }
}
