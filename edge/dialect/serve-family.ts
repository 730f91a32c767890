// Serves clients of the API family: converts their requests to ours, and our answers to their spelling.

import { type Env, isTolerant, speaksFamily } from '../env.ts'
import type { RequestContext } from '../runtime.ts'
import { requestsContract } from './contract-profile.ts'
import { findFamilyApp } from './family-app.ts'
import { toFamilySpelling } from './family-spelling.ts'

type Serve = (request: Request) => Response | Promise<Response>

/** Routes that have another name in the family. */
const contractPaths: Record<string, string> = {
  'POST /instance/create': '/instance/init',
  'POST /instance/reset': '/instance/restart',
  'GET /globalwebhook': '/v1/webhook',
  'POST /globalwebhook': '/v1/webhook',
}

/**
 * Paths that are not converted here: pages and their data, the hosts' side, tools, which have their own form of answers, and the
 * list of instances, which is converted page by page.
 */
const UNCONVERTED = /^\/(console|docs|openapi|mcp|health|v1\/hosts|instance\/all)\b/

/** Serves a request in the way that the operator has chosen. `ours` is the API of the contract. */
export function serveRequest(
  request: Request,
  env: Env,
  context: RequestContext,
  serveContract: Serve,
): Response | Promise<Response> {
  if (!isTolerant(env)) return serveContract(request)
  if (!speaksFamily(env)) return routeRequest(request, env, context, serveContract)
  return serveFamily(request, env, context, serveContract)
}

async function serveFamily(
  original: Request,
  env: Env,
  context: RequestContext,
  serveContract: Serve,
): Promise<Response> {
  const request = moveTokensToHeaders(original)
  if (requestsContract(request.headers)) return serveContract(request)
  const response = await routeRequest(request, env, context, serveContract)
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  // An answer to HEAD has a type but no body.
  if (!isJson || !response.body || UNCONVERTED.test(new URL(request.url).pathname)) return response
  const { status, headers } = response
  const responseHeaders = new Headers(headers)
  responseHeaders.delete('content-length')
  return new Response(JSON.stringify(toFamilySpelling(await response.json())), {
    status,
    headers: responseHeaders,
  })
}

/** Finds the app for the family's name or for ours. */
function routeRequest(
  request: Request,
  env: Env,
  context: RequestContext,
  serveContract: Serve,
): Response | Promise<Response> {
  const url = new URL(request.url)
  const familyApp = findFamilyApp(request.method, url.pathname, env)
  if (familyApp) return familyApp.fetch(joinEvents(request, url), env, context)
  const name = contractPaths[`${request.method} ${url.pathname}`]
  return serveContract(name ? new Request(new URL(name + url.search, url), request) : request)
}

/** The family may send one `events` parameter for each event. */
function joinEvents(request: Request, url: URL): Request {
  const named = url.searchParams.getAll('events')
  if (named.length < 2) return request
  url.searchParams.set('events', named.join())
  return new Request(url, request)
}

const credentialNames = ['token', 'admintoken']

/** Moves tokens from the query to headers, so that no log or page can read them from the URL. A header has priority. */
function moveTokensToHeaders(request: Request): Request {
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
