// Serves the OpenAPI document and the documentation page. Both are made by `npm run build:pages`.

import type { BuiltDocs } from '@msgnet/shared/api/built-docs.ts'
import type { Context, Hono } from 'hono'
import { readPage, servePage } from '../http/built-pages.ts'
import { FixedPage } from '../http/fixed-page.ts'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { DocumentPage } from '../runtime/runtime.ts'
import { readPublicOrigin } from '../settings/env.ts'

const FIVE_MINUTES = 'public, max-age=300'

/** Without a public origin its server is the one that serves it. */
async function openDocument(c: Context<EdgeEnv>, name: DocumentPage): Promise<FixedPage> {
  const template = await readPage(c, name)
  const origin = readPublicOrigin(c.env)
  const document = origin
    ? template.replace('"servers":[{"url":"/"', `"servers":[{"url":"${origin}"`)
    : template
  const headers = { 'content-type': 'application/json', 'cache-control': FIVE_MINUTES, vary: 'Accept' }
  return new FixedPage(document, headers)
}

const respondDocument = servePage((c) => openDocument(c, c.env.dialect.documentPage))
/** In the words of the contract, where the operator has chosen others. */
const respondContract = servePage((c) => openDocument(c, 'openapi.json'))

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

const respondIndex = servePage(
  async (c) =>
    new FixedPage(await readPage(c, 'llms.txt'), {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': FIVE_MINUTES,
    }),
)
const openGuides = new Map<string, FixedPage>()

/** Serves the pages of docs/ as Markdown, and their index for agents. */
export function serveGuides(app: Hono<EdgeEnv>): void {
  app.get('/llms.txt', (c) => respondIndex(c))
  app.get('/docs/:room/:file{[\\w-]+\\.md}', async (c, next) => {
    const { room, file } = c.req.param()
    const guide = await findGuide(c, `${room}/${file.slice(0, -'.md'.length)}`)
    return guide?.respond(c) ?? next()
  })
}

async function findGuide(c: Context<EdgeEnv>, name: string): Promise<FixedPage | undefined> {
  const known = openGuides.get(name)
  if (known) return known
  const text = await c.env.runtime.readPage(`docs/${name}.md`)
  if (text === undefined) return undefined
  const headers = { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': FIVE_MINUTES }
  const opened = new FixedPage(text, headers)
  openGuides.set(name, opened)
  return opened
}

export const documentationHandlers = {
  getOpenapi: (c) =>
    c.env.dialect.requestsContract(c.req.raw.headers) ? respondContract(c) : respondDocument(c),
  getDocs: (c) => respondDocs(c),
} satisfies Partial<Handlers>
