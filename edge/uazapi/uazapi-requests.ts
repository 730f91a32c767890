// Converts requests of clients of uazapi to those of the contract, and the responses to the form of uazapi.

import type { Serve } from '../dialect/dialect.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import type { Env } from '../settings/env.ts'
import type { RouteApp } from './uazapi-app.ts'
import { toUazapiSpelling } from './uazapi-spelling.ts'

/** Routes that have another name in uazapi, whose paths may be in any case. */
const contractPaths: Record<string, string> = {
  '/instance/create': '/instance/init',
  '/instance/reset': '/instance/restart',
  '/message/history-sync': '/message/history',
  '/instance/updateinstancename': '/instance/updateInstanceName',
  '/chat/getnameandimageurl': '/chat/details',
  '/globalwebhook': '/v1/webhook',
}

/**
 * Paths that are not converted here: pages and their data, the document, which has its own form, routes of hosts, tools, which have a response form of their own, the
 * list of instances, which is converted page by page, and downloads, which have nothing to convert and are streamed: a file in base64 would be in memory several times.
 */
const UNCONVERTED = /^\/(console|docs|openapi\.json|mcp|health|v1\/hosts|instance\/all|message\/download)\b/
/** Pages, tools, and the ways of hosts and operators: they have no other form, and are at the root only. */
export const isOutsideApi = (path: string): boolean =>
  /^\/(console|docs|llms\.txt|link|portal|mcp|oauth|\.well-known|health|hosts|v1\/hosts)(\/|$)/.test(path)

/** Lists that are converted page by page too, by their handlers. */
const PAGED = /^\/(group\/list|contacts)$/

function isConverted({ url }: Request): boolean {
  const { pathname } = new URL(url)
  return !UNCONVERTED.test(pathname) && !PAGED.test(pathname)
}

/** Whether the request names the contract's profile. It is in `Accept`, which browsers send to other origins without a preflight. The console and the typed client set it. */
export const requestsContract = (headers: Headers): boolean =>
  /;\s*profile=contract\b/.test(headers.get('accept') ?? '')

/** A response that is converted must come plain and whole; its tag would be that of another text. */
export function requestWhole(request: Request): Request {
  if (request.method !== 'GET' || !isConverted(request)) return request
  const headers = new Headers(request.headers)
  headers.delete('accept-encoding')
  headers.delete('if-none-match')
  return new Request(request, { headers })
}

/** `complete` adds to a body, in place, what the contract's response does not have. */
export async function convertResponse(
  request: Request,
  response: Response,
  complete: (body: unknown) => Promise<void>,
): Promise<Response> {
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  // A response to HEAD has a type but no body.
  if (!isJson || !response.body || !isConverted(request)) return response
  const { status, headers } = response
  const responseHeaders = new Headers(headers)
  for (const name of ['content-length', 'etag']) responseHeaders.delete(name)
  const contractBody = await response.json()
  await complete(contractBody)
  const body = JSON.stringify(toUazapiSpelling(contractBody))
  return new Response(body, { status, headers: responseHeaders })
}

/** Serves the request by `app` if that has the route, or else by the API of the contract under its own name. */
export function routeRequest(
  { app, hasRoute }: RouteApp,
  request: Request,
  env: Env,
  context: RequestContext,
  serveContract: Serve,
): Response | Promise<Response> {
  const url = new URL(request.url)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (hasRoute(method, url.pathname)) return app.fetch(joinEvents(request, url), env, context)
  const name = contractPaths[url.pathname.toLowerCase()]
  return serveContract(
    name && name !== url.pathname ? new Request(new URL(name + url.search, url), request) : request,
    env,
  )
}

/** uazapi may send one `events` parameter for each event. */
function joinEvents(request: Request, url: URL): Request {
  const named = url.searchParams.getAll('events')
  if (named.length < 2) return request
  url.searchParams.set('events', named.join())
  return new Request(url, request)
}

const credentialNames = ['token', 'admintoken']

/** Moves tokens from the query to headers, so that no log or page can read them from the URL. A header has priority. */
export function moveTokensToHeaders(request: Request): Request {
  const url = new URL(request.url)
  const inQuery = credentialNames.filter((name) => url.searchParams.has(name))
  if (inQuery.length === 0) return request
  const headers = new Headers(request.headers)
  for (const name of inQuery) {
    const values = url.searchParams.getAll(name)
    url.searchParams.delete(name)
    // A token that occurs twice is ignored, because it is not clear which one counts.
    if (values.length === 1 && values[0] && isHeaderValue(values[0]) && !headers.has(name))
      headers.set(name, values[0])
  }
  return new Request(new Request(url, request), { headers })
}

const isHeaderValue = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)
