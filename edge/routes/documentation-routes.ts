// Serves the OpenAPI document and the documentation page. Both are made when the edge is bundled.

import type { Context } from 'hono'
import { page as html, policy, sampleOrigin, openapi as template } from '../../.build/documentation.js'
import { readPublicOrigin } from '../env.ts'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request-context.ts'

const FIVE_MINUTES = 'public, max-age=300'

let served: { origin: string | undefined; document: string; page: string } | undefined

/** Without an origin, the document's server is the one that serves it, and the page uses the browser's address. */
function renderDocumentation(origin: string | undefined) {
  if (!served || served.origin !== origin)
    served = {
      origin,
      document: origin
        ? template.replace('"servers":[{"url":"/"', `"servers":[{"url":"${origin}"`)
        : template,
      page: origin
        ? html.replaceAll(sampleOrigin, origin).replace('data-origin=""', `data-origin="${origin}"`)
        : html,
    }
  return served
}

const serveOpenapi = (c: Context<EdgeEnv>) =>
  c.body(renderDocumentation(readPublicOrigin(c.env)).document, 200, {
    'content-type': 'application/json',
    'cache-control': FIVE_MINUTES,
  })

const serveDocs = (c: Context<EdgeEnv>) =>
  c.html(renderDocumentation(readPublicOrigin(c.env)).page, 200, {
    'content-security-policy': policy,
    'cache-control': FIVE_MINUTES,
    'referrer-policy': 'no-referrer',
  })

export const documentationHandlers = {
  getOpenapi: serveOpenapi,
  getDocs: serveDocs,
} satisfies Partial<Handlers>
