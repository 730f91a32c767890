// What every generated client has: a method for each route that programs call, the records of their requests and responses, and the pages that can be gone through.

import { routesByHand } from '@msgnet/client/routes.ts'
import { deliveries } from '@msgnet/openapi/delivery-section.ts'
import { type Entry, entries } from '@msgnet/openapi/document.ts'
import { type JsonSchema, listNamedSchemas, toJsonSchema } from '@msgnet/openapi/json-schemas.ts'
import { getEffect } from '@msgnet/shared/api/route-declaration.ts'
import { Fault, type FaultName, faultNames } from '@msgnet/shared/fault-table.ts'
import type * as z from 'zod'
import { toPascalCase } from './text-layout.ts'
import { type Field, type RecordType, TypeCollector, type ValueType } from './value-types.ts'

/** How the next page of a list is requested: by an offset that the page names, by counting, by a cursor, or after the last `seq`. */
type PageStyle = 'nextOffset' | 'pagination' | 'cursor' | 'seq'

export interface Pages {
  style: PageStyle
  /** The field of the page that has the items. */
  items: string
  item: ValueType
}

export interface ClientMethod {
  /** As the route is named. */
  id: string
  method: string
  path: string
  /** The kind of token that the route needs. */
  auth: string
  /** The parameters in the path. */
  ids: string[]
  summary: string
  description: string
  takes: 'body' | 'query' | undefined
  fields: Field[]
  response: ValueType
  /** It must not happen twice, so it is sent with a key. */
  isKeyed: boolean
  /** It changes nothing, so that it can be repeated. */
  isReading: boolean
  /** It waits for the network, for as long as the caller says. */
  waits: boolean
  pages: Pages | undefined
}

export interface ClientModel {
  instance: ClientMethod[]
  admin: ClientMethod[]
  records: RecordType[]
  /** Deliveries by the name of their event, with their record. */
  envelopes: { event: string; record: string }[]
  errorCodes: string[]
}

const BY_HAND = new Set<string>(routesByHand)
const isForClients = ({ operation: { id, auth, response, path } }: Entry): boolean =>
  auth !== 'host' && !BY_HAND.has(id) && response.type !== 'text/html' && !path.startsWith('/hosts/')

export function buildClientModel(): ClientModel {
  const types = new TypeCollector(listSchemas())
  const envelopes = Object.entries(deliveries).map(([event, { envelope }]) => {
    const name = `${toPascalCase(event)}Envelope`
    const schema = toJsonSchema(envelope, 'output')
    const type = schema.$ref
      ? types.toType(schema, name)
      : types.addRecord(name, '', types.listFields(schema, name))
    if (type.kind !== 'record') throw new Error(`the envelope of ${event} is no object`)
    return { event, record: type.name }
  })
  const served = entries.filter(isForClients)
  // Methods that are written by hand name what they return.
  for (const { operation } of entries)
    if (operation.body?.type !== undefined && operation.response.schema)
      types.toType(toJsonSchema(operation.response.schema, 'output'), toPascalCase(operation.id))
  const select = (fits: (operation: Entry['operation']) => boolean) =>
    served.filter(({ operation }) => fits(operation)).map((entry) => buildMethod(entry, types))
  return {
    instance: select(({ auth }) => auth === 'instance'),
    admin: select(({ auth, adminScope }) => auth === 'admin' || auth === 'none' || adminScope !== undefined),
    records: types.listRecords(),
    envelopes,
    errorCodes: [...new Set(faultNames.map(readCode))].sort(),
  }
}

/** The document names a query's fields one by one; here the query may have a name too. */
function listSchemas() {
  const isSchema = (schema: z.ZodType | undefined) => schema !== undefined
  const requests = entries.flatMap(({ operation: { body, query } }) => [body?.schema, query].filter(isSchema))
  const responses = entries.map(({ operation }) => operation.response.schema).filter(isSchema)
  const posted = Object.values(deliveries).map(({ envelope }) => envelope)
  return listNamedSchemas(requests, [...responses, ...posted])
}

const readCode = (name: FaultName): string => new Fault(name).body.error

function buildMethod({ operation, method, path }: Entry, types: TypeCollector): ClientMethod {
  const { id, summary, description = '', body, query, response, faults = [], idempotent } = operation
  const name = toPascalCase(id)
  const request = body?.schema ?? query
  const fields = request ? listRequestFields(toJsonSchema(request, 'input'), name, types) : []
  const answer: ValueType = response.schema
    ? types.toType(toJsonSchema(response.schema, 'output'), `${name}Response`)
    : { kind: 'any' }
  return {
    id,
    method,
    path,
    auth: operation.auth,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter),
    summary,
    description,
    takes: body ? 'body' : query && 'query',
    // What must be there stands first.
    fields: [...fields.filter(({ required }) => required), ...fields.filter(({ required }) => !required)],
    response: answer,
    isKeyed: idempotent !== undefined,
    isReading: getEffect(operation) === 'reads',
    waits: faults.includes('outcome_unknown'),
    pages: findPages(fields, answer, types.listRecords()),
  }
}

/** An optional field that is `null` counts as one that is not passed. */
const listRequestFields = (schema: JsonSchema, method: string, types: TypeCollector): Field[] =>
  types
    .listFields(schema, `${method}Request`)
    .map((field) =>
      field.type.kind === 'nullable' && !field.required ? { ...field, type: field.type.of } : field,
    )

function findPages(request: Field[], response: ValueType, records: RecordType[]): Pages | undefined {
  if (response.kind !== 'record') return undefined
  const { fields = [] } = records.find(({ name }) => name === response.name) ?? {}
  const list = fields.find(({ type }) => type.kind === 'list')
  if (list?.type.kind !== 'list') return undefined
  const style = findPageStyle(
    new Set(request.map(({ name }) => name)),
    new Set(fields.map(({ name }) => name)),
  )
  return style && { style, items: list.name, item: list.type.of }
}

function findPageStyle(asked: Set<string>, answered: Set<string>): PageStyle | undefined {
  if (asked.has('offset') && answered.has('nextOffset')) return 'nextOffset'
  if (asked.has('offset') && answered.has('pagination')) return 'pagination'
  if (asked.has('after') && answered.has('next')) return 'cursor'
  return asked.has('beforeSeq') && asked.has('afterSeq') ? 'seq' : undefined
}

/** `listEvents` goes through events: the name without its verb. */
export const nameItems = ({ id }: ClientMethod): string => id.replace(/^(list|find|search)/, '')
