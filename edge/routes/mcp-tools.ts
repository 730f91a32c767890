// `/mcp` serves the routes of the API as tools of the Model Context Protocol. A call becomes a request to its route, with all its checks.

import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { tools } from '../../.build/documentation.js'
import type { RouteTool } from '../../shared/api/route-tool.ts'
import { CONTRACT_VERSION } from '../../shared/contract/contract-version.ts'
import { limits } from '../../shared/contract/limits.ts'
import { Fault } from '../../shared/fault-table.ts'
import { formatTraceparent } from '../../shared/trace-context.ts'
import { readOfferedTools } from '../env.ts'
import { requireAdminToken, requireInstanceToken } from '../http/auth.ts'
import { createFaultResponse } from '../http/fault-response.ts'
import { rejectForeignOrigin } from '../http/foreign-origin.ts'
import { readBounded } from '../http/read-body-bytes.ts'
import { createUnauthorizedFault } from '../http/unauthorized.ts'
import { isValidKey } from '../idempotency/idempotency-step.ts'
import { retainBytes } from '../media/request-body.ts'
import type { EdgeEnv } from '../request-context.ts'
import { notFound } from './page-routes.ts'

type Arguments = Record<string, unknown>

const INSTRUCTIONS =
  'Tools of a messaging gateway. Results are the JSON of its HTTP API. 504 outcome_unknown means that an effect may have happened: ask again with the same idempotencyKey only.'

/** Parsed at the first request, because most gateways never get one. */
let parsed: RouteTool[] | undefined
const parseTools = (): RouteTool[] => (parsed ??= JSON.parse(tools))

export function serveTools(app: Hono<EdgeEnv>): void {
  app.all('/mcp', requireToolsOffered, rejectForeignOrigin, requireAnyToken, async (c) => {
    const { fetch } = createMcpHandler(
      () => {
        const server = new Server(
          { name: 'msgnet-gateway', version: CONTRACT_VERSION },
          { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
        )
        const offered = selectTools(c)
        server.setRequestHandler('tools/list', () => ({
          tools: offered.map(({ request: _, ...tool }) => tool),
        }))
        server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) => {
          const tool = offered.find((one) => one.name === name)
          return tool
            ? callTool(app, c, tool, given)
            : createToolError(`There is no tool ${name} for this token.`)
        })
        return server
      },
      { maxRequestBodySize: limits.maxMediaBodyBytes },
    )
    return fetch(await readRequest(c))
  })
}

/** With the body as bytes that are counted as the caller's. */
async function readRequest(c: Context<EdgeEnv>): Promise<Request> {
  const { url, method, headers, body } = c.req.raw
  if (!body) return c.req.raw
  const heldBytes = retainBytes(c, c.var.actor)
  const bytes = await readBounded(body, {
    maxBytes: limits.maxMediaBodyBytes,
    length: Number(headers.get('content-length') ?? 0),
    before: new Uint8Array(),
    reserveBytes: (more: number) => heldBytes.reserveBytes(more),
  })
  c.set('bodyIsRead', true)
  return new Request(url, { method, headers, body: bytes })
}

const requireToolsOffered: MiddlewareHandler<EdgeEnv> = async (c, next) =>
  readOfferedTools(c.env) === 'none' ? notFound(c) : next()

/** One of the two tokens is enough, but each token that is sent must be valid. */
const requireAnyToken: MiddlewareHandler<EdgeEnv> = async (c, next) => {
  const admin = c.req.header('admintoken') !== undefined
  const instance = c.req.header('token') !== undefined
  if (!admin && !instance) throw createUnauthorizedFault('token', undefined)
  const checkInstanceToken = async () =>
    void (instance ? await requireInstanceToken()(c, next) : await next())
  await (admin ? requireAdminToken('read')(c, checkInstanceToken) : checkInstanceToken())
}

/** The tools that these tokens and the operator's setting allow. */
function selectTools(c: Context<EdgeEnv>): RouteTool[] {
  const all = readOfferedTools(c.env) === 'all'
  return parseTools().filter(
    ({ request: { auth }, annotations }) =>
      Object.keys(copyCredential(c, auth)).length > 0 && (all || annotations.readOnlyHint),
  )
}

/** The headers of this request that a route with this credential takes; none if it has none. */
function copyCredential(c: Context<EdgeEnv>, auth: 'admin' | 'instance'): Record<string, string> {
  const admintoken = c.req.header('admintoken')
  const instance = c.req.header('instance')
  const token = c.req.header('token')
  if (auth === 'admin') return admintoken === undefined ? {} : { admintoken }
  if (admintoken !== undefined && instance !== undefined)
    return { admintoken, instance, ...(token !== undefined && { token }) }
  return token === undefined ? {} : { token }
}

async function callTool(
  app: Hono<EdgeEnv>,
  c: Context<EdgeEnv>,
  tool: RouteTool,
  input: Arguments,
): Promise<CallToolResult> {
  const response = await fetchRoute(app, c, tool, input)
  const text = await response.text()
  const value: unknown = JSON.parse(text)
  return {
    content: [{ type: 'text', text }],
    ...(isRecord(value) && { structuredContent: value }),
    ...(response.status >= 400 && { isError: true }),
  }
}

function fetchRoute(
  app: Hono<EdgeEnv>,
  c: Context<EdgeEnv>,
  tool: RouteTool,
  input: Arguments,
): Response | Promise<Response> {
  try {
    return app.fetch(buildRequest(c, tool, input), c.env, c.executionCtx)
  } catch (error) {
    return createFaultResponse(error, c)
  }
}

/** The route, and not this code, refuses a value that is not a text. */
const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function buildRequest(c: Context<EdgeEnv>, { request }: RouteTool, input: Arguments): Request {
  const { method, path, auth, query } = request
  const { idempotencyKey: givenKey, ...rest } = input
  // Some programs write null for an absent argument.
  const key = (givenKey ?? undefined) === undefined ? undefined : toText(givenKey)
  // Some invalid keys cannot be put into a header at all.
  if (key !== undefined && (typeof givenKey === 'object' || !isValidKey(key)))
    throw new Fault('invalid_idempotency_key')
  const url = new URL(c.req.url)
  url.search = ''
  url.pathname = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(toText(rest[name] ?? '').toWellFormed())
    delete rest[name]
    // The URL parser removes these segments and the one before, so another route would be called.
    return value === '.' || value === '..' ? value.replaceAll('.', '%252E') : value
  })
  for (const name of query) {
    const value = rest[name]
    delete rest[name]
    if (value !== undefined && value !== null) url.searchParams.set(name, toText(value))
  }
  const ofAddress = c.env.CLIENT_ADDRESS_HEADER
  return new Request(url, {
    method,
    headers: {
      ...(ofAddress && { [ofAddress]: c.req.header(ofAddress) ?? '' }),
      ...copyCredential(c, auth),
      'x-request-id': c.var.requestId,
      traceparent: formatTraceparent(c.var.trace),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: JSON.stringify(rest) }),
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const createToolError = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})
