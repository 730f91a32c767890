// Answers that tell a token are kept by nobody on their way.

import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../context.ts'

export const noStore = createMiddleware<EdgeEnv>((c, next) => {
  c.header('cache-control', 'no-store')
  return next()
})
