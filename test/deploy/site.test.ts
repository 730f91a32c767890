// The documentation as a site of static files, built and published as the workflow does it, to a repository of the test. It needs the
// packages of `npm ci --prefix site`.
// @module-tag slow

import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { entries } from '@msgnet/openapi/document.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inBrowser, noBrowser, visitPage } from '../console/browser.ts'
import { checkPage } from '../console/page-check.ts'

const root = join(import.meta.dirname, '..', '..')
const missing = existsSync(join(root, 'site', 'node_modules')) ? '' : ' (skipped: npm ci --prefix site)'
const BASE = '/gateway/v0.1.0/'
const folder = mkdtempSync(join(tmpdir(), 'site-'))
/** A checkout of the branch that was published. */
const published = join(folder, 'published')
const built = join(published, 'v0.1.0')
const runGit = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { encoding: 'utf8' })
/** What the branch had. */
const before = { next: 'what main had', 'v0.1.0-rc.1': 'what was tried' }
const publishSite = (variables: Record<string, string>) =>
  spawnSync('npm', ['run', '--silent', 'publish:site'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  })
const readBuilt = (place: string) => readFileSync(join(built, place), 'utf8')

/** As hosts of static pages do: `/page` is `page.html`. Undefined if nothing is there. */
function findFile(path: string): string | undefined {
  const place = join(published, path.replace(/^\/gateway/, ''))
  return [place, `${place}.html`, join(place, 'index.html')].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  )
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const server = createServer((request, response) => {
  const file = findFile(new URL(request.url ?? '', 'http://site').pathname)
  if (!file) return response.writeHead(404).end()
  response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream')
  response.end(readFileSync(file))
})

const listAddresses = (page: string): string[] =>
  [...page.matchAll(/\shref="([^"]+)"/g)].map(([, target = '']) => target)

const listPages = () =>
  readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.html') && name !== '404.html',
  )

test('a site is not published without what it needs, nor to a place that cannot be reached', () => {
  const { status, stderr } = publishSite({ REMOTE: '', REPOSITORY: 'someone/gateway', REF: '', SOURCE: '' })
  expect(status).toBe(1)
  expect([...stderr.matchAll(/^ {2}([A-Z]+) {2}\S/gm)].map(([, name]) => name)).toEqual([
    'REMOTE',
    'REF',
    'SOURCE',
  ])
  const away = publishSite({
    REMOTE: join(folder, 'nowhere.git'),
    REPOSITORY: 'someone/gateway',
    REF: 'v0.1.0',
    SOURCE: 'https://example.org/files',
  })
  expect([away.status, away.stderr]).toEqual([1, expect.stringContaining('The site was not published')])
  expect(away.stderr).not.toContain('at run')
})

test('the address of another version is asked for by name', () => {
  const run = spawnSync('npm', ['run', '--silent', 'build:site', '--', '--version', 'v0.1.0'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([run.status, run.stderr]).toEqual([
    1,
    expect.stringContaining('--version must be a name and an address'),
  ])
})

describe.skipIf(missing)(`the site${missing}`, () => {
  beforeAll(async () => {
    const remote = join(folder, 'remote.git')
    runGit('init', '--quiet', '--bare', '--initial-branch=gh-pages', remote)
    runGit('clone', '--quiet', remote, published)
    for (const [version, text] of Object.entries(before)) {
      mkdirSync(join(published, version))
      writeFileSync(join(published, version, 'index.html'), text)
    }
    runGit('-C', published, 'add', '--all')
    runGit('-C', published, 'commit', '--quiet', '--message', 'before')
    runGit('-C', published, 'push', '--quiet', 'origin', 'HEAD:gh-pages')
    const run = publishSite({
      REMOTE: remote,
      REPOSITORY: 'someone/gateway',
      REF: 'v0.1.0',
      SOURCE: 'https://example.org/files',
    })
    expect([run.status, run.stderr]).toEqual([0, expect.anything()])
    runGit('-C', published, 'pull', '--quiet', 'origin', 'gh-pages')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }, 600_000)
  afterAll(() => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a release is published beside the versions that are there, and the root leads to the last release', () => {
    for (const [version, text] of Object.entries(before))
      expect(readFileSync(join(published, version, 'index.html'), 'utf8')).toBe(text)
    expect(readFileSync(join(published, 'index.html'), 'utf8')).toContain('url=v0.1.0/"')
    expect(existsSync(join(published, '.nojekyll'))).toBe(true)
    expect(listAddresses(readBuilt('use/webhooks.html'))).toContain('/gateway/next/')
  })

  test('no link of any page leads nowhere, its anchor included', () => {
    const dead = new Set<string>()
    const ids = new Map<string, Set<string>>()
    const listIds = (file: string) => {
      const known =
        ids.get(file) ??
        new Set([...readFileSync(file, 'utf8').matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
      ids.set(file, known)
      return known
    }
    let seen = 0
    for (const page of listPages()) {
      for (const target of listAddresses(readBuilt(page))) {
        const { origin, pathname, hash } = new URL(target, `http://site${BASE}${page}`)
        if (origin !== 'http://site') continue
        seen++
        const file = findFile(pathname)
        const anchor = decodeURIComponent(hash.slice(1))
        if (!file || (anchor && !listIds(file).has(anchor))) dead.add(`${page}: ${target}`)
      }
    }
    expect([...dead]).toEqual([])
    expect(seen).toBeGreaterThan(10_000)
  })

  test('every route has its section in the reference, and links to code lead to the files of this version', () => {
    const reference = listPages()
      .filter((page) => dirname(page) === 'reference')
      .map(readBuilt)
      .join('')
    expect(entries.filter(({ operation }) => !reference.includes(`id="${operation.id}"`))).toEqual([])
    expect(readBuilt('run/upgrade.html')).toContain(
      'href="https://example.org/files/test/releases/upgrade.test.ts"',
    )
  })

  test('each page is there as Markdown too, and llms.txt leads to it', () => {
    const pages = listPages().filter((page) => page !== 'index.html')
    expect(pages.filter((page) => !existsSync(join(built, page.replace(/html$/, 'md'))))).toEqual([])
    const links = [...readBuilt('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !link.startsWith(BASE) || !findFile(link))).toEqual([])
    expect(links).toContain(`${BASE}use/webhooks.md`)
  })

  test('a picture of a page is there for its Markdown too', () => {
    const pages = listPages().map((page) => page.replace(/html$/, 'md'))
    const pictures = pages
      .filter((page) => existsSync(join(built, page)))
      .flatMap((page) =>
        [...readBuilt(page).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, picture = '']) =>
          join(dirname(page), picture),
        ),
      )
    expect(pictures.length).toBeGreaterThan(5)
    expect(pictures.filter((picture) => !existsSync(join(built, picture)))).toEqual([])
  })

  test('the first page is less than 100 KB on the wire', () => {
    const page = readBuilt('index.html')
    const files = [...page.matchAll(/(?:href|src)="([^"]+\.(?:js|css|svg))"/g)].map(([, path = '']) => path)
    const sizes = [...new Set(files)].map((path) => gzipSync(readFileSync(findFile(path) ?? '')).length)
    expect(sizes.length).toBeGreaterThan(3)
    expect(gzipSync(page).length + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
  })

  describe.skipIf(noBrowser)(inBrowser, () => {
    test.each([
      '',
      'use/webhooks',
      'run/environment',
      'reference/messages',
      'reference/errors',
      'pt/',
      'es/webhooks',
    ])('anyone can use /%s, wide and on a phone, light and dark', async (place) => {
      const { port } = server.address() as AddressInfo
      const { page, requests, complaints, close } = await visitPage(`http://127.0.0.1:${port}`, BASE + place)
      await page.waitForLoadState('networkidle')
      await checkPage(page)
      expect(requests.filter((url) => !url.startsWith(`http://127.0.0.1:${port}/`))).toEqual([])
      expect(complaints).toEqual([])
      await close()
    })

    test('the search leads to a route, and a sample is copied by a button', async () => {
      const { port } = server.address() as AddressInfo
      const { page, close } = await visitPage(`http://127.0.0.1:${port}`, BASE)
      await page.keyboard.press('Control+k')
      await page.locator('#localsearch-input').fill('sends a contact card')
      await page.locator('.result').first().click()
      await page.waitForURL(/reference\/messages#sendContact$/)
      await page.locator('#sendContact ~ .vp-code-group button.copy').first().click()
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/send/contact')
      await close()
    })
  })
})
