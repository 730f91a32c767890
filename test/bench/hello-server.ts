// The least that the same router and server can do: what our answers are measured against. The port is its first argument.

import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono().get('/', (c) => c.json({ status: 'live' }))
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.argv[2]) })
