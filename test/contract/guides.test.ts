// The pages of docs/ at a gateway, for those who have no copy of the code: as Markdown, with an index for agents.

import { expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'

const { run } = await borrowForFile()

async function read(path: string, init: RequestInit = {}) {
  const response = await fetch(new URL(path, run.baseUrl), init)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** Where the links of a page lead, without those to other sites. */
const listLinks = (text: string, page: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => new URL(target, new URL(page, 'http://gateway.test')))
    .filter(({ host }) => host === 'gateway.test')
    .map(({ pathname }) => pathname)

test('the index names the document and each page for callers and operators', async () => {
  const { status, type, text } = await read('/llms.txt')
  expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toMatch(/^# msgnet gateway\n\n> An HTTP\/JSON gateway/)
  const links = listLinks(text, '/llms.txt')
  expect(links).toContain('/openapi.json')
  expect(links).toContain('/docs/use/webhooks.md')
  expect(links).toContain('/docs/run/live-network.md')
  expect(text).toContain('- [Receiving events](/docs/use/webhooks.md): receive events and verify them')
})

test('each link of the index and of each page that it leads to is served', async () => {
  const seen = new Set<string>()
  const failed: string[] = []
  const waiting = ['/llms.txt']
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const { status, type, text } = await read(path)
    if (status !== 200) failed.push(path)
    if (/^text\/(markdown|plain)/.test(type ?? '')) waiting.push(...listLinks(text, path))
  }
  expect(failed).toEqual([])
  expect(seen.size).toBeGreaterThan(100)
})

test('a page is Markdown, and is known again by its tag', async () => {
  const response = await fetch(`${run.baseUrl}/docs/use/webhooks.md`)
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(await response.text()).toMatch(/^# Receiving events\n/)
  const again = await read('/docs/use/webhooks.md', {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  })
  expect([again.status, again.text]).toEqual([304, ''])
})

test.each([
  '/docs/use/none.md',
  '/docs/code/threats.md',
  '/docs/use/..%2f..%2fREADME.md',
  '/docs/use/webhooks',
])('%s is not there', async (path) => {
  const { status, text } = await read(path)
  expect([status, JSON.parse(text)]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
})
