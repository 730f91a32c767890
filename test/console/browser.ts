// Opens the console in a real browser, and records its requests and its errors.

import { existsSync } from 'node:fs'
import AxeSource from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const executablePath = '/usr/bin/chromium'
export const noBrowser = !existsSync(executablePath)
export const inBrowser = `in a browser (skipped without ${executablePath})`

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Visit {
  page: Page
  /** The addresses of all requests. */
  requests: string[]
  /** What the browser complained of, errors that answers of the API explain left out. */
  complaints: string[]
  close(): Promise<void>
}

export async function visitPage(
  baseUrl: string,
  path: string,
  { locale = 'en' }: { locale?: string } = {},
): Promise<Visit> {
  const browser: Browser = await chromium.launch({ executablePath, args })
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, locale })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refusal of the API is shown on the page, and logged by the browser as well.
    if (message.type() === 'error' && !/the server responded with a status of/.test(message.text()))
      complaints.push(message.text())
  })
  await page.goto(baseUrl + path)
  return { page, requests, complaints, close: () => browser.close() }
}

/** No request left the origin, no error occurred, and no address has any of these tokens. */
export function expectDiscreet({ requests, complaints }: Visit, baseUrl: string, tokens: string[]): void {
  const isOwnUrl = (url: string) => url.startsWith(`${baseUrl}/`) || /^(data|blob):/.test(url)
  expect(requests.filter((url) => !isOwnUrl(url))).toEqual([])
  expect(requests.filter((url) => tokens.some((token) => url.includes(token)))).toEqual([])
  expect(complaints).toEqual([])
}

/** What a reader with other eyes or hands would stumble over, by the rules of axe. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger, because the page's own policy allows no script of a test.
  await page.evaluate(AxeSource.source)
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** Whether the page can be moved sideways. */
export const hasOverflow = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth')
