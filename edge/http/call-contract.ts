// Calls routes of the contract for a dialect: with the credential, the key and the limits of its caller, as one that came from outside.

import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import type { ErrorBody } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import type { RequestForm, Serve } from '../dialect/dialect.ts'
import { isValidKey } from '../request/idempotency-step.ts'
import { Failure, type InnerRequest, markInner } from '../request/inner-request.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { RequestContext } from '../runtime/runtime.ts'

export type RouteName = keyof typeof routes

/** The context of a request to a dialect. */
export interface DialectContext extends RequestContext {
  serveContract: Serve
  /** In which the contract reads the requests of this dialect and writes their responses. */
  form: RequestForm
  /** Why it could not be found out who calls: the request is refused with this error. */
  failure?: unknown
}

export interface ContractInput {
  /** By their names in the path. */
  params?: Record<string, string>
  query?: Record<string, string>
  /** A function makes it by what may have changed since: where that fails, a repeated key has its response all the same. */
  body?: object | (() => Promise<object>)
  /** The key of the caller's request is for the calls that have its effect. */
  isKeyed?: true
  /** Which of these it is, from 0: each after the first has a key of its own, made from that of the request. */
  part?: number
  /** In place of that of the dialect. */
  form?: RequestForm
  /** What the fields of the contract are called in the dialect, for refusals. */
  names?: Readonly<Record<string, string>>
}

/** The response of a route that refused. */
export class ContractRefusal extends Error {
  readonly status: number
  readonly body: ErrorBody
  readonly retryAfter: string | null

  constructor(status: number, body: ErrorBody, retryAfter: string | null) {
    super(body.message ?? body.error)
    this.status = status
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** The words of a refusal begin with the field that they are about. */
export function renameField(
  refusal: ContractRefusal,
  names: Readonly<Record<string, string>>,
): ContractRefusal {
  const { status, body, retryAfter } = refusal
  const message = body.message?.replace(/^\w+/, (name) => new Map(Object.entries(names)).get(name) ?? name)
  if (message === undefined || message === body.message) return refusal
  return new ContractRefusal(status, { ...body, message }, retryAfter)
}

/** Returns the body of the response. Throws a ContractRefusal if it is an error. */
export async function callContract<Value>(
  c: Context<EdgeEnv>,
  name: RouteName,
  input: ContractInput = {},
): Promise<Value> {
  const response = await openContract(c, name, input)
  return (await response.json()) as Value
}

/** The same for a response that is passed on as it comes. */
export async function openContract(
  c: Context<EdgeEnv>,
  name: RouteName,
  { params = {}, query = {}, body, isKeyed, part = 0, form, names = {} }: ContractInput = {},
): Promise<Response> {
  const { method, path }: Route = routes[name]
  const url = new URL(c.req.url)
  url.pathname = path.replace(/\{(\w+)\}/g, (_, param) => encodeURIComponent(params[param] ?? ''))
  url.search = new URLSearchParams(query).toString()
  const headers = createHeaders(c, isKeyed)
  await nameKeyOfPart(c, headers, part)
  const request = new Request(url, { method, headers, signal: c.req.raw.signal })
  const made = await makeBody(body)
  const { failure } = made
  if (failure && !headers.has(KEY)) throw failure.cause
  markInner(request, { outer: c, ...made })
  const { serveContract, form: own, ...context } = c.executionCtx as DialectContext
  const env = { ...c.env, dialect: form ?? own }
  const response = await serveContract(request, env, { ...context, target: url.pathname + url.search })
  // The response to the caller is a repeated one if nothing of it has taken effect now.
  if (headers.has(KEY))
    c.set('isReplayed', response.headers.has('idempotency-replayed') && c.var.isReplayed !== false)
  // A token or a code in it may be in the response to the caller too.
  if (response.headers.get(CACHING) === 'no-store') c.header(CACHING, 'no-store')
  if (response.ok) return response
  if (failure?.isReason) throw failure.cause
  const refused = (await response.json()) as ErrorBody
  const refusal = new ContractRefusal(response.status, refused, response.headers.get('retry-after'))
  throw renameField(refusal, names)
}

async function makeBody(body: ContractInput['body']): Promise<Pick<InnerRequest, 'body' | 'failure'>> {
  if (typeof body !== 'function') return { body }
  try {
    return { body: await body() }
  } catch (cause) {
    return { body: undefined, failure: new Failure(cause) }
  }
}

const KEY = 'idempotency-key'
const CACHING = 'cache-control'

/** A key that is not valid stays, and is refused as it is. */
async function nameKeyOfPart(c: Context<EdgeEnv>, headers: Headers, part: number): Promise<void> {
  const key = headers.get(KEY)
  if (key === null || part === 0 || !isValidKey(key)) return
  headers.set(KEY, await c.env.runtime.cryptography.digest(`${key} ${part}`))
}

/** What describes the body of the caller's request, or says in which form the response is wanted, is about that request alone. */
const OWN_HEADERS = /^(content-|accept|if-|range$|expect$|prefer$|connection$|upgrade$|transfer-encoding$)/

function createHeaders(c: Context<EdgeEnv>, isKeyed: true | undefined): Headers {
  const headers = new Headers()
  for (const [name, value] of c.req.raw.headers)
    if (!OWN_HEADERS.test(name) && (isKeyed || name !== KEY)) headers.set(name, value)
  headers.set('x-request-id', c.var.requestId)
  return headers
}
