// The pages that `npm run build:pages` made: each is read at the first request for it.

import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import type { PageName } from '../runtime/runtime.ts'
import type { FixedPage } from './fixed-page.ts'

/** Throws if it is not there: the start checks that the pages were built. */
export async function readPage({ env }: Context<EdgeEnv>, name: PageName): Promise<string> {
  const text = await env.runtime.readPage(name)
  if (text === undefined) throw new Error(`the page ${name} was not built`)
  return text
}

/** Responds with the page that `open` makes at the first request. */
export function servePage(open: (c: Context<EdgeEnv>) => Promise<FixedPage>) {
  // Never a promise: on Cloudflare one request cannot wait for what another one reads.
  let page: FixedPage | undefined
  return async (c: Context<EdgeEnv>, status?: 200 | 404): Promise<Response> => {
    page ??= await open(c)
    return page.respond(c, status)
  }
}
