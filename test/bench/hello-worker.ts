// The least that the same router and runtime can do: what our answers are measured against.

import { Hono } from 'hono'

export default new Hono().get('/', (c) => c.json({ status: 'live' }))
