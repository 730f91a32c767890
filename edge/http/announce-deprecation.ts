// Apart from serve-route.ts, because two standards say what these headers are: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of a route that is to
// end, with a link to the page that says what takes its place.

import type { Deprecation } from '@msgnet/shared/api/route-declaration.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { createMiddleware } from 'hono/factory'

const PAGE = '</docs/use/versions.md>; rel="deprecation"; type="text/markdown"'

/** On refusals too: a program that is refused there has the same change before it. */
export const announceDeprecation = ({ since, sunset }: Deprecation) =>
  createMiddleware(async (c, next) => {
    await next()
    c.header('deprecation', `@${Date.parse(since) / SECOND}`)
    if (sunset) c.header('sunset', new Date(sunset).toUTCString())
    c.header('link', PAGE, { append: true })
  })
