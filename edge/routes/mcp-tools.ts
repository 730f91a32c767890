// `/mcp` serves the routes of the API as tools of the Model Context Protocol. A call becomes a request to its route, with all its checks.

import type { CallToolResult } from '@modelcontextprotocol/server'
import { type RouteTool, WAIT_TOOL } from '@msgnet/shared/api/route-tool.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { formatTraceparent } from '@msgnet/shared/trace-context.ts'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { TOOLS_PATH } from '../authorization/public-address.ts'
import { chargeParsing, createReadingCharge, rejectSpentBodies } from '../http/body-costs.ts'
import { readPage } from '../http/built-pages.ts'
import { createFaultResponse } from '../http/fault-response.ts'
import { rejectForeignOrigin } from '../http/foreign-origin.ts'
import { JsonShape } from '../http/json-bounds.ts'
import { mayHaveBody, openBody } from '../http/open-body.ts'
import { chargePage } from '../http/page-turns.ts'
import { findWrongForm } from '../http/parse-body.ts'
import { readBounded } from '../http/read-body-bytes.ts'
import { countRequest } from '../http/token-rates.ts'
import { formatHolder } from '../limits/held-bytes.ts'
import { retainBytes } from '../media/request-body.ts'
import { isValidKey } from '../request/idempotency-step.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readOfferedTools, readToolSets } from '../settings/env.ts'
import { challengeClient } from './authorization-routes.ts'
import { notFound } from './page-routes.ts'
import {
  acceptBearerToken,
  authenticateCaller,
  copyCredential,
  hasCredential,
  isAllowed,
} from './tool-callers.ts'
import type { Arguments } from './tool-server.ts'
import { waitForMessage } from './wait-for-message.ts'

/** Read at the first request, because most gateways never get one. */
let tools: RouteTool[] | undefined
const readTools = async (c: Context<EdgeEnv>): Promise<RouteTool[]> =>
  (tools ??= JSON.parse(await readPage(c, 'tools.json')))

export function serveTools(app: Hono<EdgeEnv>): void {
  app.all(
    TOOLS_PATH,
    requireToolsOffered,
    rejectForeignOrigin,
    challengeClient,
    acceptBearerToken,
    async (c) => {
      const scope = await authenticateCaller(c)
      const offered = selectTools(c, await readTools(c))
      const { request, parsedBody } = await readRequest(c)
      chargeMessages(c, parsedBody, offered)
      const { serveProtocol } = await import('./tool-server.ts')
      return serveProtocol(
        {
          offered,
          listed: offered.filter((tool) => isAllowed(c, tool, scope)),
          callTool: (tool, input) => callTool(app, c, tool, input),
        },
        { request, parsedBody },
      )
    },
  )
}

/** With the body as bytes that are counted as the caller's, and parsed if it is JSON: parsing is charged here. */
async function readRequest(c: Context<EdgeEnv>): Promise<{ request: Request; parsedBody?: unknown }> {
  const { url, method, headers } = c.req.raw
  if (!mayHaveBody(method)) return { request: c.req.raw }
  const encoded = findWrongForm(undefined, headers.get('content-encoding') ?? '')
  if (encoded) throw encoded
  const heldBytes = retainBytes(c, c.var.actor)
  const length = Number(headers.get('content-length') ?? 0)
  rejectSpentBodies(c, c.var.actor, length)
  const shape = new JsonShape()
  const bytes = await readBounded(openBody(c), {
    maxBytes: limits.maxMediaBodyBytes,
    length,
    before: new Uint8Array(),
    reserveBytes: (more: number) => heldBytes.reserveBytes(more),
    onRead: createReadingCharge(c, c.var.actor),
    checkPiece: (piece) => shape.addPiece(piece),
  })
  c.set('bodyIsRead', true)
  const parsedBody = chargeParsing(c.var.actor, bytes.length, () => parseIfJson(bytes))
  // A Request copies the bytes, and nothing reads them once they are parsed.
  const body = parsedBody === undefined ? bytes : null
  return { request: new Request(url, { method, headers, body }), parsedBody }
}

/** More than any client sends at once; newer revisions of the protocol have no batches. */
const MAX_BATCH = 8

/** Each message of a batch is a request, and a list of tools as many bytes of pages as it has. */
function chargeMessages(c: Context<EdgeEnv>, body: unknown, offered: RouteTool[]): void {
  const messages = Array.isArray(body) ? body : [body]
  if (messages.length > MAX_BATCH)
    throw new Fault('invalid_body', `A batch must have at most ${MAX_BATCH} messages.`)
  const { actor, tokenHash = formatHolder(actor) } = c.var
  for (let more = 1; more < messages.length; more += 1) countRequest(c, actor, tokenHash)
  const lists = messages.filter((message) => isRecord(message) && message.method === 'tools/list')
  if (lists.length > 0) chargePage(c, lists.length * JSON.stringify(offered).length)
}

/** Undefined if it is not JSON: then the protocol's own code reads it, and words the refusal. */
function parseIfJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

const requireToolsOffered: MiddlewareHandler<EdgeEnv> = async (c, next) =>
  readOfferedTools(c.env) === 'none' ? notFound(c) : next()

/** The tools that the operator's settings allow, and for whose routes these tokens are a credential. */
function selectTools(c: Context<EdgeEnv>, tools: RouteTool[]): RouteTool[] {
  const sets = readToolSets(c.env)
  const isWriting = readOfferedTools(c.env) === 'all'
  return tools.filter(
    (tool) =>
      sets.includes(tool.set) && (isWriting || 'readOnlyHint' in tool.annotations) && hasCredential(c, tool),
  )
}

async function callTool(
  app: Hono<EdgeEnv>,
  c: Context<EdgeEnv>,
  tool: RouteTool,
  input: Arguments,
): Promise<CallToolResult> {
  const send = (request: Request) => app.fetch(request, c.env, c.executionCtx)
  return readResult(
    c,
    await catchFault(c, () =>
      tool.name === WAIT_TOOL
        ? waitForMessage(
            { sendRequest: (path, more) => send(buildGet(c, tool, path, more)), signal: c.req.raw.signal },
            input,
          )
        : send(buildRequest(c, tool, input)),
    ),
  )
}

async function readResult(c: Context<EdgeEnv>, response: Response): Promise<CallToolResult> {
  const value = c.env.dialect.convertToolResult(await response.json())
  const text = JSON.stringify(value)
  return {
    content: [{ type: 'text', text }],
    ...(isRecord(value) && { structuredContent: value }),
    ...(response.status >= 400 && { isError: true }),
  }
}

async function catchFault(c: Context<EdgeEnv>, serve: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await serve()
  } catch (error) {
    return createFaultResponse(error, c)
  }
}

/** The route, and not this code, refuses a value that is not a text. */
const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function buildRequest(c: Context<EdgeEnv>, tool: RouteTool, input: Arguments): Request {
  const { method, path, query } = tool.request
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
    if (value === '') throw new Fault('invalid_body', `${name} must not be empty.`)
    delete rest[name]
    // The URL parser removes these segments and the one before, so another route would be called.
    return value === '.' || value === '..' ? value.replaceAll('.', '%252E') : value
  })
  for (const name of query) {
    const value = rest[name]
    delete rest[name]
    if (value !== undefined && value !== null) url.searchParams.set(name, toText(value))
  }
  const headers = buildHeaders(c, tool)
  if (key !== undefined) headers.set('idempotency-key', key)
  if (method === 'GET') return new Request(url, { method, headers })
  headers.set('content-type', 'application/json')
  return new Request(url, { method, headers, body: JSON.stringify(rest) })
}

function buildGet(c: Context<EdgeEnv>, tool: RouteTool, path: string, more: Record<string, string>): Request {
  const headers = buildHeaders(c, tool)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  return new Request(new URL(path, c.req.url), { headers })
}

/** What is the same for each request of a call: who it is from, and what it belongs to. */
function buildHeaders(c: Context<EdgeEnv>, { request }: RouteTool): Headers {
  const headers = new Headers(copyCredential(c, request.auth))
  headers.set('x-request-id', c.var.requestId)
  headers.set('traceparent', formatTraceparent(c.var.trace))
  const ofAddress = c.env.CLIENT_ADDRESS_HEADER
  if (ofAddress) headers.set(ofAddress, c.req.header(ofAddress) ?? '')
  return headers
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
