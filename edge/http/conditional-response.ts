// Answers 304 without a body while the caller's copy of a response is still right: most of what a page asks again has not changed.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Env } from '../settings/env.ts'

/** Only the caller may store it, and asks each time whether it is still right. */
const CACHE_CONTROL = 'private, no-cache'

/** A handler sets its own tag if parts of its answer do not count as a change. */
export const answerConditionally = createMiddleware<EdgeEnv>(async (c, next) => {
  await next()
  if (c.res.status !== 200) return
  if (!c.res.headers.has('etag')) {
    // It has no body to make a tag of.
    if (c.req.method === 'HEAD') return
    c.res.headers.set('etag', await createTag(c.env, await readText(c)))
  }
  const { headers } = c.res
  if (!headers.has('cache-control')) headers.set('cache-control', CACHE_CONTROL)
  if (!isNamed(headers.get('etag') ?? '', c.req.header('if-none-match') ?? '')) return
  headers.delete('content-type')
  c.res = new Response(null, { status: 304, headers })
})

async function readText(c: Context<EdgeEnv>): Promise<string> {
  const written = c.get('responseText')
  if (written !== undefined) return written
  const text = await c.res.text()
  c.res = new Response(text, { headers: c.res.headers })
  return text
}

/** A weak tag, because the same answer may be sent compressed or not. */
export const createTag = async ({ runtime }: Env, text: string | Uint8Array<ArrayBuffer>): Promise<string> =>
  `W/"${(await runtime.cryptography.digest(text)).slice(0, 32)}"`

export const isNamed = (tag: string, named: string): boolean =>
  named.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag.slice(2))
