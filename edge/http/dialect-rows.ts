// Routes of a dialect as rows of a table: which call of the contract a route is, what becomes of its fields, and what its answer says.

import { routes } from '@msgnet/shared/api/api.ts'
import type { Method } from '@msgnet/shared/api/route-declaration.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { ContractRefusal, callContract, type RouteName, renameField } from './call-contract.ts'
import type { DialectInput, DialectRoute } from './dialect-app.ts'
import type { FieldType, Shown } from './dialect-document.ts'
import type { Fields } from './read-fields.ts'

type C = Context<EdgeEnv>
type Handle = (c: C, fields: Fields) => unknown
// biome-ignore lint/suspicious/noExplicitAny: as the route of the contract answers.
type ToAnswer = (value: any, fields: Fields, c: C) => unknown

/**
 * One call of the contract, or a function of its own for what is more than that. `spec` says which fields the call gets:
 * `name`, or `name=from` where the dialect has another name, then `:kind` for a value that is changed, `!` for one that must be there.
 * `toBody` makes the body instead; the names are of its refusals then. Without `toAnswer` the answer is that of the contract.
 */
export type Row = readonly [
  target: RouteName | Handle,
  spec?: string,
  toAnswer?: ToAnswer,
  toBody?: (fields: Fields, c: C) => object,
]

/** By methods, status if it is not the usual one, and paths: `POST|PUT 200 /chat/update /message/update`. */
export type Rows = Readonly<Record<string, Row>>

/** What all rows of a dialect have in common. */
export interface RowForm {
  /** Behind each path. */
  suffix: `/${string}` | ''
  /** The kinds of values. `file`: it may be a file, which is passed on without a copy. */
  kinds: Record<string, (value: unknown) => unknown>
  /** Where programs send a file as a part of a form: the fields of it that are more than a text. */
  structured?: readonly string[]
  /** All fields of a request. Throws if the path names another instance than the caller's. */
  readFields(c: C, input: DialectInput): Fields
  /** The error for a field that is missing. */
  createMissing(field: string): Error
}

const SPEC = /^(\w+)(?:=(\w+))?(?::(\w+))?(!?)$/

function parseSpec(spec: string) {
  const parts = spec.split(' ').filter(Boolean)
  return parts.map((part) => {
    const [, to = '', from = to, kind = '', mark] = SPEC.exec(part) ?? []
    return { to, from, kind, isNeeded: mark === '!' }
  })
}

/** For the document. */
function showFields(method: string, wanted: ReturnType<typeof parseSpec>): Shown {
  if (method === 'GET') return { query: wanted.map(({ from }) => from) }
  const types: Record<string, FieldType> = { number: 'number', jids: 'array', file: 'file' }
  const fields = wanted.map(({ from, kind, isNeeded }) => [
    isNeeded ? `${from}*` : from,
    types[kind] ?? 'string',
  ])
  return { fields: Object.fromEntries(fields) }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

function toRoute(method: string, path: string, status: number, row: Row, form: RowForm): DialectRoute {
  const [target, spec = '', toAnswer = (value) => value, toBody] = row
  const wanted = parseSpec(spec)
  const names = Object.fromEntries(wanted.map(({ to, from }) => [to, from]))
  const summary = typeof target === 'string' ? routes[target].summary : ''
  const fileFields = wanted.filter(({ kind }) => kind === 'file').map(({ from }) => from)
  const [fileField] = fileFields
  const toUsualBody = (fields: Fields) =>
    Object.fromEntries(
      wanted
        .filter(({ from }) => fields[from] !== undefined)
        .map(({ to, from, kind }) => [to, form.kinds[kind]?.(fields[from]) ?? fields[from]]),
    )
  return {
    method: method as Method,
    path: `${path as '/'}${form.suffix}`,
    auth: 'instance',
    shown: { ...showFields(method, wanted), ...(summary && { summary }) },
    ...(fileField !== undefined && {
      body: {
        maxBytes: limits.maxMediaBodyBytes,
        fileFields,
        ...(form.structured && { form: { file: fileField, structured: form.structured } }),
      },
    }),
    async handle(c, input) {
      const fields = form.readFields(c, input)
      const missing = wanted.find(({ from, isNeeded }) => isNeeded && isMissing(fields[from]))
      if (missing) throw form.createMissing(missing.from)
      try {
        const answer =
          typeof target === 'string' ? await callOnce(c, target, fields) : await target(c, fields)
        return answer instanceof Response ? answer : c.json(answer as object, status as 200)
      } catch (error) {
        throw error instanceof ContractRefusal ? renameField(error, names) : error
      }
    },
  }
  async function callOnce(c: C, name: RouteName, fields: Fields) {
    const body = (toBody ?? toUsualBody)(fields, c)
    return toAnswer(await callContract(c, name, { body, isKeyed: true }), fields, c)
  }
}

export const toRoutes = (rows: Rows, form: RowForm): DialectRoute[] =>
  Object.entries(rows).flatMap(([key, row]) => {
    const [methods = '', ...words] = key.split(' ')
    const paths = words.filter((word) => word.startsWith('/'))
    return methods.split('|').flatMap((method) => {
      const status = Number(
        words.find((word) => /^\d/.test(word)) ?? (/^(GET|DELETE)$/.test(method) ? 200 : 201),
      )
      return paths.map((path) => toRoute(method, path, status, row, form))
    })
  })
