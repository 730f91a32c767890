// Requests as clients of the API family write them, read as ours: only where the operator says so (`COMPATIBILITY`).

import { type Env, tolerant } from '../env.ts'

type Fetch = (request: Request) => Response | Promise<Response>

/** Routes that have another name there. */
const names: Record<string, string> = {
  'POST /instance/create': '/instance/init',
  'POST /instance/reset': '/instance/restart',
  'GET /globalwebhook': '/v1/webhook',
  'POST /globalwebhook': '/v1/webhook',
}

/** Answers as the family does what it asks for under its own names; anything else is served as it is. */
export function servedTolerantly(request: Request, env: Env, fetch: Fetch): Response | Promise<Response> {
  if (!tolerant(env)) return fetch(request)
  const url = new URL(request.url)
  const ours = names[`${request.method} ${url.pathname}`]
  if (ours) return fetch(new Request(new URL(ours + url.search, url), request))
  const [, groupjid] = /^\/group\/invitelink\/([^/]+)$/.exec(url.pathname) ?? []
  if (request.method === 'GET' && groupjid) return inviteLink(request, decodeURIComponent(groupjid), fetch)
  return fetch(request)
}

async function inviteLink(request: Request, groupjid: string, fetch: Fetch): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  const body = JSON.stringify({ groupjid, getInviteLink: true })
  const asked = new Request(new URL('/group/info', request.url), { method: 'POST', headers, body })
  const answer = await fetch(asked)
  if (!answer.ok) return answer
  const { invite_link } = await answer.json<{ invite_link: string }>()
  return Response.json({ inviteLink: invite_link }, { headers: answer.headers })
}

/** Where an id of somebody may stand. */
const naming = ['number', 'chatid', 'wa_chatid', 'participants', 'numbers', 'mentions', 'phone']
const THEIRS = /@(s\.whatsapp\.net|c\.us)(?=$|\s*,)/g
/** Messages of a page. */
const MOST = 100
/** What else of a record may stand beside `action: "delete"`. */
const webhooks = ['/webhook', '/v1/webhook']

/** The body of a request to `path` as ours would have it. It is freshly parsed and nobody else's: it is changed in place. */
export function toleratedBody(path: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  if (webhooks.includes(path) && fields.action === 'delete')
    return { action: 'delete', ...(fields.id !== undefined && { id: fields.id }) }
  for (const name of naming) if (Object.hasOwn(fields, name)) fields[name] = respelled(fields[name])
  if (path === '/message/find' && typeof fields.limit === 'number' && fields.limit > MOST) fields.limit = MOST
  return fields
}

function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled)
  return typeof value === 'string' ? value.replace(THEIRS, '@s.msgnet.net') : value
}
