// Serves clients of the API family: converts their requests to ours, and our answers to their spelling.

import { type Env, speaksFamily, tolerant } from '../env.ts'
import type { RequestContext } from '../runtime.ts'
import { familyRoute } from './app.ts'
import { inContractsWords } from './chosen.ts'
import { spelled } from './spelling.ts'

type Fetch = (request: Request) => Response | Promise<Response>

/** Routes that have another name in the family. */
const names: Record<string, string> = {
  'POST /instance/create': '/instance/init',
  'POST /instance/reset': '/instance/restart',
  'GET /globalwebhook': '/v1/webhook',
  'POST /globalwebhook': '/v1/webhook',
}

/**
 * Paths that are not converted here: pages and their data, the hosts' side, tools, which have their own form of answers, and the
 * list of instances, which is converted page by page.
 */
const APART = /^\/(console|docs|openapi|mcp|health|v1\/hosts|instance\/all)\b/

/** Serves a request in the way that the operator has chosen. `ours` is the API of the contract. */
export function served(
  request: Request,
  env: Env,
  context: RequestContext,
  ours: Fetch,
): Response | Promise<Response> {
  if (!tolerant(env)) return ours(request)
  if (!speaksFamily(env)) return routed(request, env, context, ours)
  return servedInTheirWords(request, env, context, ours)
}

async function servedInTheirWords(
  given: Request,
  env: Env,
  context: RequestContext,
  ours: Fetch,
): Promise<Response> {
  const request = withTokensOfQuery(given)
  if (inContractsWords(request.headers)) return ours(request)
  const answer = await routed(request, env, context, ours)
  const isJson = /^application\/json\b/.test(answer.headers.get('content-type') ?? '')
  // An answer to HEAD has a type but no body.
  if (!isJson || !answer.body || APART.test(new URL(request.url).pathname)) return answer
  const { status, headers } = answer
  const kept = new Headers(headers)
  kept.delete('content-length')
  return new Response(JSON.stringify(spelled(await answer.json())), { status, headers: kept })
}

/** Finds the app for the family's name or for ours. */
function routed(
  request: Request,
  env: Env,
  context: RequestContext,
  ours: Fetch,
): Response | Promise<Response> {
  const url = new URL(request.url)
  const theirs = familyRoute(request.method, url.pathname, env)
  if (theirs) return theirs.fetch(eventsOnce(request, url), env, context)
  const name = names[`${request.method} ${url.pathname}`]
  return ours(name ? new Request(new URL(name + url.search, url), request) : request)
}

/** The family may send one `events` parameter for each event. */
function eventsOnce(request: Request, url: URL): Request {
  const named = url.searchParams.getAll('events')
  if (named.length < 2) return request
  url.searchParams.set('events', named.join())
  return new Request(url, request)
}

const credentials = ['token', 'admintoken']

/** Moves tokens from the query to headers, so that no log or page can read them from the URL. A header has priority. */
function withTokensOfQuery(request: Request): Request {
  const url = new URL(request.url)
  const given = credentials.filter((name) => url.searchParams.has(name))
  if (given.length === 0) return request
  const headers = new Headers(request.headers)
  for (const name of given) {
    const values = url.searchParams.getAll(name)
    url.searchParams.delete(name)
    // A token that occurs twice is ignored, because it is not clear which one counts.
    if (values.length === 1 && values[0] && isHeader(values[0]) && !headers.has(name))
      headers.set(name, values[0])
  }
  return new Request(new Request(url, request), { headers })
}

const isHeader = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)
