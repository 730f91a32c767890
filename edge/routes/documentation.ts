// The API described by itself: for programs as an OpenAPI document, for people as a page. Both are made when the edge is bundled.

import type { Context } from 'hono'
import { page as html, policy, openapi as template } from '../../.build/documentation.js'
import { SAMPLE_ORIGIN } from '../../shared/openapi/origin.ts'
import type { EdgeEnv } from '../context.ts'
import { publicOrigin } from '../env.ts'

const FIVE_MINUTES = 'public, max-age=300'

let served: { origin: string | undefined; document: string; page: string } | undefined

/** Without an origin the document's server is the one that it comes from, and the page asks the browser. */
function servedFrom(origin: string | undefined) {
  if (!served || served.origin !== origin)
    served = {
      origin,
      document: origin
        ? template.replace('"servers":[{"url":"/"', `"servers":[{"url":"${origin}"`)
        : template,
      page: origin
        ? html.replaceAll(SAMPLE_ORIGIN, origin).replace('data-origin=""', `data-origin="${origin}"`)
        : html,
    }
  return served
}

export const openapi = (c: Context<EdgeEnv>) =>
  c.body(servedFrom(publicOrigin(c.env)).document, 200, {
    'content-type': 'application/json',
    'cache-control': FIVE_MINUTES,
  })

export const docs = (c: Context<EdgeEnv>) =>
  c.html(servedFrom(publicOrigin(c.env)).page, 200, {
    'content-security-policy': policy,
    'cache-control': FIVE_MINUTES,
    'referrer-policy': 'no-referrer',
  })
