// Serves the OpenAPI document and the documentation page. Both are made when the edge is bundled.

import type { Context } from 'hono'
import { page as html, policy, sampleOrigin, openapi as template } from '../../.build/documentation.js'
import { FixedPage } from '../http/fixed-page.ts'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readPublicOrigin } from '../settings/env.ts'

const FIVE_MINUTES = 'public, max-age=300'

/** Without an origin its server is the one that serves it. */
function createDocument(origin: string | undefined, convert = (contract: string) => contract) {
  const contract = origin
    ? template.replace('"servers":[{"url":"/"', `"servers":[{"url":"${origin}"`)
    : template
  const headers = { 'content-type': 'application/json', 'cache-control': FIVE_MINUTES, vary: 'Accept' }
  return new FixedPage(convert(contract), headers)
}

/** Without an origin it uses the browser's address. */
const createPage = (origin: string | undefined) =>
  new FixedPage(
    origin
      ? html.replaceAll(sampleOrigin, origin).replace('data-origin=""', `data-origin="${origin}"`)
      : html,
    {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': policy,
      'cache-control': FIVE_MINUTES,
      'referrer-policy': 'no-referrer',
    },
  )

let document: FixedPage | undefined
/** In the words of the contract, where the operator has chosen others. */
let contractDocument: FixedPage | undefined
let page: FixedPage | undefined

function openDocument(c: Context<EdgeEnv>): FixedPage {
  const { dialect } = c.env
  const origin = readPublicOrigin(c.env)
  if (dialect.requestsContract(c.req.raw.headers)) {
    contractDocument ??= createDocument(origin)
    return contractDocument
  }
  document ??= createDocument(origin, (contract) => dialect.convertDocument(contract))
  return document
}

export const documentationHandlers = {
  getOpenapi: (c) => openDocument(c).respond(c),
  getDocs(c) {
    page ??= createPage(readPublicOrigin(c.env))
    return page.respond(c)
  },
} satisfies Partial<Handlers>
