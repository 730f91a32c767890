// The OpenAPI document of a dialect, made from its routes: served below its prefix as `/openapi.json`, without a credential.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { readPublicOrigin } from '../settings/env.ts'
import { servePage } from './built-pages.ts'
import { FixedPage } from './fixed-page.ts'

export type FieldType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'file'

/** What the document of the dialect says of a route. */
export interface Shown {
  summary?: string
  /** Names of its parameters. */
  query?: readonly string[]
  /** Of the body, or of its form; a star ends the names of those that must be there. */
  fields?: Readonly<Record<string, FieldType>>
  /** The type of its answer, if it is no JSON. */
  produces?: string
}

/** What the document needs of a route. */
export interface DocumentedRoute {
  method: Route['method']
  /** Parameters are in curly brackets. */
  path: `/${string}`
  auth: Route['auth']
  /** The handler reads the body itself, a form. */
  rawBody?: true
  /** It may be JSON or a form. */
  body?: { form?: object }
  /** False for a route that is left out of the document, because all that it does is refuse. */
  shown?: Shown | false
}

/** What the routes do not say. */
export interface DialectInfo {
  title: string
  description: string
  /** Below which it is served. */
  prefix: string
  /** How a caller sends its credential, as OpenAPI has it. */
  credential: object
  /** An error as it is answered. */
  errorSample: object
}

const FORM = 'multipart/form-data'
const FIVE_MINUTES = 'public, max-age=300'

export const serveDocument = (routes: readonly DocumentedRoute[], info: DialectInfo) =>
  servePage(async (c: Context<EdgeEnv>) => {
    const url = (readPublicOrigin(c.env) ?? '') + info.prefix
    const document = buildDocument(routes, info, url)
    const headers = { 'content-type': 'application/json', 'cache-control': FIVE_MINUTES }
    return new FixedPage(JSON.stringify(document), headers)
  })

function buildDocument(
  routes: readonly DocumentedRoute[],
  { title, description, credential, errorSample }: DialectInfo,
  url: string,
) {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    if (route.shown === false) continue
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: buildOperation(route) }
  }
  return {
    openapi: '3.1.1',
    info: { title, version: '1', description },
    servers: [{ url }],
    security: [],
    paths,
    components: {
      securitySchemes: { credential },
      responses: {
        Refused: {
          description: 'The request was refused, or has failed.',
          content: { 'application/json': { schema: { type: 'object' }, example: errorSample } },
        },
      },
    },
  }
}

function buildOperation(route: DocumentedRoute) {
  const { method, path, auth, shown } = route
  const { summary = `${method} ${path}`, query = [], produces = 'application/json' } = shown || {}
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }))
  const parameters = [...inPath, ...query.map((name) => ({ name, in: 'query', required: false }))]
  return {
    operationId: nameOperation(method, path),
    summary,
    security: auth === 'none' ? [] : [{ credential: [] }],
    parameters: parameters.map((one) => ({ ...one, schema: { type: 'string' } })),
    ...(method !== 'GET' && { requestBody: buildBody(route) }),
    responses: {
      '2XX': {
        description: 'It is done, or accepted.',
        content: { [produces]: { schema: produces === 'application/json' ? {} : { type: 'string' } } },
      },
      default: { $ref: '#/components/responses/Refused' },
    },
  }
}

/** As `postMessagesByPn`. */
function nameOperation(method: string, path: string): string {
  const words = path.split('/').filter(Boolean)
  const names = words.filter((word) => !word.startsWith('{')).map(toUpperFirst)
  const params = words.filter((word) => word.startsWith('{')).map((word) => toUpperFirst(word.slice(1, -1)))
  return [method.toLowerCase(), ...names, ...(params.length > 0 ? ['By', ...params] : [])].join('')
}

const toUpperFirst = (word: string): string =>
  word.replace(/(?:^|[_\-.])(\w)/g, (_, letter: string) => letter.toUpperCase())

function buildBody({ shown, rawBody, body }: Pick<DocumentedRoute, 'shown' | 'rawBody' | 'body'>) {
  const fields = Object.entries(shown ? (shown.fields ?? {}) : {})
  const required = fields.filter(([name]) => name.endsWith('*')).map(([name]) => name.slice(0, -1))
  const properties = Object.fromEntries(
    fields.map(([name, type]) => [name.replace(/\*$/, ''), describeField(type)]),
  )
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  const types = [...(rawBody ? [] : ['application/json']), ...(rawBody || body?.form ? [FORM] : [])]
  return {
    required: required.length > 0,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  }
}

const describeField = (type: FieldType): object =>
  type === 'file' ? { type: 'string', contentMediaType: 'application/octet-stream' } : { type }
