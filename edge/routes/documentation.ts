// The API described by itself: for programs as an OpenAPI document, for people as a page. Both are made when the edge is bundled.

import type { Context } from 'hono'
import { openapi as document, page, policy } from '../../.build/documentation.js'
import type { EdgeEnv } from '../context.ts'

const FIVE_MINUTES = 'public, max-age=300'

export const openapi = (c: Context<EdgeEnv>) =>
  c.body(document, 200, { 'content-type': 'application/json', 'cache-control': FIVE_MINUTES })

export const docs = (c: Context<EdgeEnv>) =>
  c.html(page, 200, {
    'content-security-policy': policy,
    'cache-control': FIVE_MINUTES,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
