// The declarations of the packed client: interfaces with names, which editors show in place of what they expand to.

import { listNamedSchemas, toJsonSchema } from '@msgnet/openapi/json-schemas.ts'
import { ErrorObject } from '@msgnet/shared/contract/responses/error-response.ts'
import type { ClientMethod, ClientModel } from './client-model.ts'
import { endSentence, toPascalCase, wrapText } from './text-layout.ts'
import { type Field, type RecordType, TypeCollector, type ValueType } from './value-types.ts'

const GENERATED = '// Generated from the declared routes.'
const WIDTH = 110

/** The files by their path among the declarations: they replace what the compiler makes of the schemas. */
export function buildTypeScriptCode({ instance, admin, records, envelopes, errorCodes }: ClientModel) {
  const methods = [...new Map([...instance, ...admin].map((method) => [method.id, method])).values()]
  return {
    'api-types.d.ts': buildApiTypes(methods, [...records, buildErrorObject()], envelopes, errorCodes),
    'route-methods.d.ts': buildMethods(methods, records),
  }
}

function buildErrorObject(): RecordType {
  const types = new TypeCollector(listNamedSchemas([], [ErrorObject]))
  const fields = types.listFields(toJsonSchema(ErrorObject, 'output'), 'ErrorObject')
  return { name: 'ErrorObject', description: '', fields }
}

function buildApiTypes(
  methods: ClientMethod[],
  records: RecordType[],
  envelopes: ClientModel['envelopes'],
  errorCodes: string[],
): string {
  const requests = methods.filter(({ takes }) => takes)
  return [
    GENERATED,
    ...records.map(({ name, description, fields }) => buildInterface(name, description, fields, '')),
    ...requests.map(({ id, fields }) => buildInterface(nameRequest(id), '', fields, ' | undefined')),
    '/** A webhook that is saved, not turned off. */',
    'export interface WebhookSave extends ConfigureWebhookRequest {',
    "  action?: 'add' | 'update' | undefined",
    '  url: string',
    "  events: NonNullable<ConfigureWebhookRequest['events']>",
    '}',
    '/** An event, as it is posted and streamed: `EventType` says which. */',
    `export type Envelope = ${envelopes.map(({ record }) => record).join(' | ')}`,
    '/** The codes of this version of the contract, and those that a later one adds. */',
    `export type ErrorCode = ${errorCodes.map((code) => `'${code}'`).join(' | ')} | (string & Record<never, never>)`,
    '',
  ].join('\n')
}

const nameRequest = (id: string): string => `${toPascalCase(id)}Request`

/** `absent`: what else an optional field may be that is not passed. */
function buildInterface(name: string, description: string, fields: Field[], absent: string): string {
  return [
    ...toComment(description, ''),
    `export interface ${name} {`,
    ...fields.flatMap((field) => [
      ...toComment(field.description, '  '),
      `  ${spellKey(field.name)}${field.required ? '' : '?'}: ${toType(field.type)}${field.required ? '' : absent}`,
    ]),
    '}',
  ].join('\n')
}

const spellKey = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`)

function toType(type: ValueType): string {
  switch (type.kind) {
    case 'text':
      return type.values ? type.values.map((value) => `'${value}'`).join(' | ') : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'any':
      return 'unknown'
    case 'list': {
      const item = toType(type.of)
      return item.includes('|') ? `(${item})[]` : `${item}[]`
    }
    case 'map':
      return `Record<string, ${toType(type.of)}>`
    case 'nullable':
      return `${toType(type.of)} | null`
    case 'record':
      return type.name
    case 'choice':
      return type.among.map(toType).join(' | ')
  }
}

const GROUPS = { instance: 'InstanceMethods', admin: 'AdminMethods', none: 'OpenMethods' }

function buildMethods(methods: ClientMethod[], records: RecordType[]): string {
  const code = Object.entries(GROUPS).map(([auth, name]) =>
    [
      `export interface ${name} {`,
      ...methods.filter((method) => method.auth === auth).flatMap(buildMethod),
      '}',
    ].join('\n'),
  )
  const names = [...records.map(({ name }) => name), ...methods.map(({ id }) => nameRequest(id))]
  const used = names.filter((name) => code.some((part) => new RegExp(`\\b${name}\\b`).test(part)))
  return [
    GENERATED,
    `import type { ${used.sort().join(', ')} } from './api-types.js'`,
    "import type { Options, Repeatable } from './request-sender.js'",
    ...code,
    'interface Groups {',
    ...Object.entries(GROUPS).map(([auth, name]) => `  ${auth}: ${name}`),
    '}',
    '/** The routes that take this credential. */',
    'export type Methods<Auth extends keyof Groups> = Groups[Auth]',
    `type All = ${Object.values(GROUPS).join(' & ')}`,
    'export type Method<Name extends keyof All> = All[Name]',
    '',
  ].join('\n')
}

function buildMethod({
  id,
  ids,
  takes,
  fields,
  response,
  summary,
  description,
  isKeyed,
}: ClientMethod): string[] {
  const isOptional = fields.every(({ required }) => !required)
  const parameters = [
    ...ids.map((name) => `${name}: string`),
    ...(takes ? [`request${isOptional ? '?' : ''}: ${nameRequest(id)}`] : []),
    `options?: ${isKeyed ? 'Repeatable' : 'Options'}`,
  ]
  return [
    ...toComment([endSentence(summary), description].filter(Boolean).join(' '), '  '),
    `  ${id}(${parameters.join(', ')}): Promise<${toType(response)}>`,
  ]
}

function toComment(text: string, by: string): string[] {
  const lines = wrapText(text.replaceAll('*/', '* /'), WIDTH)
  const [first = '', ...rest] = lines
  if (lines.length === 0) return []
  return rest.length === 0
    ? [`${by}/** ${first} */`]
    : [`${by}/**`, ...lines.map((line) => `${by} * ${line}`), `${by} */`]
}
