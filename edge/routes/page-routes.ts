// Serves the pages for browsers: the greeting at `/`, the console, and a page for unknown paths. Programs get JSON.

import { greeting } from '@msgnet/shared/api/diagnostics-chapter.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context, Hono } from 'hono'
import { requireAdminToken } from '../http/auth.ts'
import { readPage, servePage } from '../http/built-pages.ts'
import { createFaultResponse } from '../http/fault-response.ts'
import { FixedPage } from '../http/fixed-page.ts'
import { auditRoute } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'

/** Where the console's simulation sends its requests. */
const SIMULATION = '/console/laboratory'

/** Allows the page's own origin only. Pictures of messages are made in the page (`blob:`), QR codes are data URIs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  'media-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'content-type': 'text/html; charset=UTF-8',
  'cache-control': 'no-cache',
  vary: 'Accept',
}

const respondPage = servePage(async (c) => new FixedPage(await readPage(c, 'console.html'), PAGE_HEADERS))
const openFiles = new Map<string, FixedPage>()
/** By the endings of their names. */
const FILE_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Browsers name HTML in `Accept`, programs accept anything. */
const isForPeople = (c: Context): boolean =>
  (c.req.header('accept') ?? '')
    .split(',')
    .some((range) => /^\s*text\/html\s*(;(?!.*q=0(\.0*)?\s*$)|$)/i.test(range))

export const pageHandlers = {
  getGreeting: (c) => (isForPeople(c) ? respondPage(c) : c.json(greeting, 200, { vary: 'Accept' })),
  getConsole: (c) => respondPage(c),
} satisfies Partial<Handlers>

/** Serves the files that the console's page loads. */
export function serveConsole(app: Hono<EdgeEnv>): void {
  app.on(['POST', 'DELETE'], `${SIMULATION}/*`, auditRoute('laboratory.change'))
  app.on(['GET', 'POST', 'DELETE'], `${SIMULATION}/*`, requireAdminToken('admin'), forwardToSimulation)
  app.get('/console/:file', async (c, next) => (await findFile(c, c.req.param('file')))?.respond(c) ?? next())
}

async function findFile(c: Context<EdgeEnv>, name: string): Promise<FixedPage | undefined> {
  const known = openFiles.get(name)
  const type = FILE_TYPES[/^[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name)?.[1] ?? '']
  if (known || !type) return known
  const text = await c.env.runtime.readPage(`console/${name}`)
  if (text === undefined) return undefined
  // The name contains the hash of the content, so the file never changes.
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
  const opened = new FixedPage(text, headers)
  openFiles.set(name, opened)
  return opened
}

export const notFound = (c: Context<EdgeEnv>): Response | Promise<Response> =>
  isForPeople(c) ? respondPage(c, 404) : createFaultResponse(new Fault('not_found'), c)

/**
 * Passes requests of the console's simulation to the listener of `npm start`, while it simulates the network. Without a simulated
 * network, for example on Cloudflare, the route does not exist.
 */
async function forwardToSimulation(c: Context<EdgeEnv>): Promise<Response> {
  const { LABORATORY_URL, LABORATORY_KEY } = c.env
  if (!LABORATORY_URL || !LABORATORY_KEY) throw new Fault('not_found')
  const { pathname, search } = new URL(c.req.url)
  const body = c.req.method === 'GET' ? undefined : await c.req.arrayBuffer()
  const response = await c.env.runtime.fetch(
    'allowlisted',
    `${LABORATORY_URL}${pathname.slice(SIMULATION.length)}${search}`,
    {
      method: c.req.method,
      headers: { authorization: `Bearer ${LABORATORY_KEY}` },
      ...(body?.byteLength && { body }),
    },
  )
  return c.body(await response.text(), response.status as 200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
}
