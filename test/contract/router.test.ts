// The router of the API, held against Hono's own: what is looked up once is what would be looked up each time.

import { FixedPathRouter } from '@msgnet/edge/http/router.ts'
import { TrieRouter } from 'hono/router/trie-router'
import { expect, test } from 'vitest'

const routes = [
  ['ALL', '/*', 'every request'],
  ['GET', '/instance/all', 'all'],
  ['GET', '/instance/:id', 'one'],
  ['DELETE', '/instance/:id', 'delete'],
  ['POST', '/instance/init', 'init'],
  ['GET', '/docs/*', 'docs'],
  ['ALL', '/mcp', 'tools'],
] as const

const requests = [
  '/instance/all',
  '/instance/7',
  '/instance/init',
  '/docs',
  '/docs/a/b',
  '/mcp',
  '/mcp/',
  '/',
  '/none',
]

test('each request gets the response of the plain router, the first time and later', () => {
  const [ours, other] = [new FixedPathRouter<string>(), new TrieRouter<string>()]
  for (const [method, path, handler] of routes) {
    ours.add(method, path, handler)
    other.add(method, path, handler)
  }
  for (let time = 0; time < 3; time++)
    for (const path of requests)
      for (const method of ['GET', 'POST', 'DELETE', 'PURGE'])
        expect(ours.match(method, path), `${method} ${path}`).toEqual(other.match(method, path))
})

test('a route that is added later is found by paths that were requested before', () => {
  const router = new FixedPathRouter<string>()
  router.add('GET', '/instance/all', 'first')
  const listHandlers = () => router.match('GET', '/instance/all')[0].map(([handler]) => handler)
  expect(listHandlers()).toEqual(['first'])
  router.add('ALL', '/*', 'second')
  expect(listHandlers()).toEqual(['first', 'second'])
})
