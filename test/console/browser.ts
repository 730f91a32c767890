// Opens the console in a real browser, and records its requests and its errors.

import { existsSync } from 'node:fs'
import { english } from '@msgnet/console/texts/english.ts'
import AxeSource from 'axe-core'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
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
  // A microphone that beeps.
  '--use-fake-device-for-media-stream',
]

export interface Visit {
  page: Page
  /** The addresses of all requests. */
  requests: string[]
  /** What the browser complained of, errors that answers of the API explain left out. */
  complaints: string[]
  close(): Promise<void>
}

let browser: Promise<Browser> | undefined

/** One for all files that this process runs; it ends with the process, or by `closeBrowser`. */
function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath, args }).then((opened) =>
    opened.once('disconnected', () => {
      browser = undefined
    }),
  )
  return browser
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
}

/** A context of its own: it has no cookies, storage or permissions of another. */
export const openContext = async (options: BrowserContextOptions): Promise<BrowserContext> =>
  (await openBrowser()).newContext(options)

export async function visitPage(
  baseUrl: string,
  path: string,
  { locale = 'en' }: { locale?: string } = {},
): Promise<Visit> {
  const context = await openContext({ viewport: { width: 1360, height: 900 }, locale })
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
  return { page, requests, complaints, close: () => context.close() }
}

/** No request left the origin, no error occurred, and no address has any of these tokens. */
export function expectDiscreet({ requests, complaints }: Visit, baseUrl: string, tokens: string[]): void {
  const isOwnUrl = (url: string) => url.startsWith(`${baseUrl}/`) || /^(data|blob):/.test(url)
  expect(requests.filter((url) => !isOwnUrl(url))).toEqual([])
  expect(requests.filter((url) => tokens.some((token) => url.includes(token)))).toEqual([])
  expect(complaints).toEqual([])
}

export type Texts = typeof english

/** By the sign-in page; it is done when the console shows its pages. `stay`: the browser stores the token. */
export async function signIn(
  page: Page,
  token: string,
  { stay = false, texts = english }: { stay?: boolean; texts?: Texts } = {},
): Promise<void> {
  await page.getByLabel(texts.signIn.token, { exact: true }).fill(token)
  if (stay) await page.getByLabel(texts.signIn.remember).check()
  await page.getByRole('button', { name: texts.signIn.title }).click()
  await page.locator('nav.side').waitFor()
}

/** By its name in the list of pages, which a narrow screen has behind a button. */
export async function openPage(page: Page, name: string, texts: Texts = english): Promise<void> {
  const pages = page.locator('nav.side')
  const menu = pages.getByRole('button', { name: texts.nav.menu })
  if (await menu.isVisible()) await menu.click()
  await pages.getByRole('link', { name, exact: true }).click()
}

/** What a reader with other eyes or hands would stumble over, whatever its weight, by the rules of axe for WCAG 2.2 AA and its own advice. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger, because the page's own policy allows no script of a test.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AxeSource.source)
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(rules)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}

const rules = {
  resultTypes: ['violations'],
  runOnly: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
}

export interface View {
  width: number
  height: number
  colorScheme: 'light' | 'dark'
}

export const smallScreen: View = { width: 360, height: 800, colorScheme: 'light' }
export const views: readonly View[] = [
  { width: 1360, height: 900, colorScheme: 'light' },
  { width: 1360, height: 900, colorScheme: 'dark' },
  smallScreen,
]

/** The faults of the page as it is, in each of these views; what must be moved sideways is one too. */
export async function findFaultsIn(page: Page, seen: readonly View[]): Promise<string[]> {
  const found: string[] = []
  for (const { width, height, colorScheme } of seen) {
    await page.setViewportSize({ width, height })
    // Without motion: a colour on its way from the light to the dark is neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // From its top: what lies half under the bar there is as large as before.
    await page.evaluate('scrollTo(0, 0)')
    const faults = await findAccessibilityFaults(page)
    if (await hasOverflow(page)) faults.push('it can be moved sideways')
    found.push(...faults.map((fault) => `${width} ${colorScheme}: ${fault}`))
  }
  return found
}

/** In light, in dark and on a small screen. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findFaultsIn(page, views)).toEqual([])
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** Whether the page can be moved sideways. */
export const hasOverflow = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth')

/** In the browser: the names of visible buttons of which a part is cut off at a side, by the window or by what they are in. */
const hiddenButtons = `(() => {
  const isCut = (button) => {
    const { left, right, width } = button.getBoundingClientRect()
    if (width === 0 || getComputedStyle(button).visibility !== 'visible') return false
    if (left < 0 || right > innerWidth) return true
    for (let around = button.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflowX === 'visible') continue
      const edges = around.getBoundingClientRect()
      if (left < edges.left - 1 || right > edges.right + 1) return true
    }
    return false
  }
  return [...document.querySelectorAll('button, a.button')].filter(isCut).map((button) => button.ariaLabel ?? button.textContent)
})()`

export const findHiddenButtons = (page: Page): Promise<string[]> => page.evaluate(hiddenButtons)
