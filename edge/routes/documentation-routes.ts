// Serves the OpenAPI document and the documentation page. Both are made by `npm run build:pages`.

import type { BuiltDocs } from '@msgnet/shared/api/built-docs.ts'
import type { Context } from 'hono'
import { readPage, servePage } from '../http/built-pages.ts'
import { FixedPage } from '../http/fixed-page.ts'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readPublicOrigin } from '../settings/env.ts'

const FIVE_MINUTES = 'public, max-age=300'

/** Without a public origin its server is the one that serves it. */
async function openDocument(
  c: Context<EdgeEnv>,
  convert = (contract: string) => contract,
): Promise<FixedPage> {
  const template = await readPage(c, 'openapi.json')
  const origin = readPublicOrigin(c.env)
  const contract = origin
    ? template.replace('"servers":[{"url":"/"', `"servers":[{"url":"${origin}"`)
    : template
  const headers = { 'content-type': 'application/json', 'cache-control': FIVE_MINUTES, vary: 'Accept' }
  return new FixedPage(convert(contract), headers)
}

const respondDocument = servePage((c) =>
  openDocument(c, (contract) => c.env.dialect.convertDocument(contract)),
)
/** In the words of the contract, where the operator has chosen others. */
const respondContract = servePage((c) => openDocument(c))

/** Without a public origin it uses the browser's address. */
const respondDocs = servePage(async (c) => {
  const { html, policy, sampleOrigin }: BuiltDocs = JSON.parse(await readPage(c, 'docs.json'))
  const origin = readPublicOrigin(c.env)
  const page = origin
    ? html.replaceAll(sampleOrigin, origin).replace('data-origin=""', `data-origin="${origin}"`)
    : html
  return new FixedPage(page, {
    'content-type': 'text/html; charset=UTF-8',
    'content-security-policy': policy,
    'cache-control': FIVE_MINUTES,
    'referrer-policy': 'no-referrer',
  })
})

export const documentationHandlers = {
  getOpenapi: (c) =>
    c.env.dialect.requestsContract(c.req.raw.headers) ? respondContract(c) : respondDocument(c),
  getDocs: (c) => respondDocs(c),
} satisfies Partial<Handlers>
