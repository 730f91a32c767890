// Answers that hold a token must not be stored by any cache.

import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request-context.ts'

export const forbidCaching = createMiddleware<EdgeEnv>((c, next) => {
  c.header('cache-control', 'no-store')
  return next()
})
