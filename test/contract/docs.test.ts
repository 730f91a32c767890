// The documentation page as a reader meets it: complete, at home without the internet, searchable, by day and by night.

import { entries } from '@msgnet/openapi/document.ts'
import { Fault, faultNames } from '@msgnet/shared/fault-table.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { inBrowser, noBrowser, openContext } from '../console/browser.ts'
import { asDeployed } from '../world.ts'

const world = await borrowForFile()

describe.skipIf(noBrowser)(inBrowser, () => {
  let context: BrowserContext
  let page: Page
  const complaints: string[] = []
  const requested = new Set<string>()

  beforeAll(async () => {
    context = await openContext({ viewport: { width: 1400, height: 1000 } })
    page = await context.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => requested.add(request.url()))
    await page.goto(`${world.run.baseUrl}/docs`)
  })

  afterAll(() => context?.close())

  test('the page loads nothing else, and its policy allows all of it', () => {
    expect([...requested]).toEqual([`${world.run.baseUrl}/docs`])
    expect(complaints).toEqual([])
  })

  // On Cloudflare the platform compresses it.
  test.skipIf(asDeployed)('the page is sent compressed, in less than 100 KB', async () => {
    const [entry] = await page.evaluate<{ transferSize: number; decodedBodySize: number }[]>(
      "performance.getEntriesByType('navigation').map((one) => one.toJSON())",
    )
    expect(entry?.transferSize).toBeLessThan(100_000)
    expect(entry?.decodedBodySize).toBeLessThan(750_000)
  })

  test('every route is in the contents and on the page', async () => {
    for (const { operation, path } of entries) {
      expect(await page.locator(`nav a[href="#${operation.id}"]`).textContent()).toContain(path)
      expect(await page.locator(`section#${operation.id} h3`).textContent()).toBe(operation.summary)
    }
    const links = await page
      .locator('a[href^="#"]')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    const places = new Set(await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => `#${id}`)))
    expect(links.filter((link) => !places.has(link ?? ''))).toEqual([])
  })

  test('the commands name the server that served the page', async () => {
    const command = await page.locator('section#sendText pre').first().textContent()
    expect(command).toContain(`curl ${world.run.baseUrl}/send/text`)
    expect(command).toContain('-H "token: $TOKEN"')
  })

  test('the errors of a route are its own, and each leads to its cause and cure', async () => {
    const errors = page.locator('section#createInstance .codes')
    expect(await errors.textContent()).toContain('invalid_kind')
    expect(await errors.textContent()).not.toContain('not_on_network')
    await page.locator('section#sendText .codes a', { hasText: 'not_on_network' }).click()
    const row = page.locator('tr:target')
    expect(await row.textContent()).toMatch(/422.*has no account on the network.*chat\/check/s)
    await row.getByText(/^\d+ routes$/).click()
    expect(await row.locator('a[href="#sendText"]').isVisible()).toBe(true)
  })

  test('each chapter opens with what can be done there, and its rules are folded', async () => {
    const chapter = page.locator('article#messages')
    expect(await chapter.locator('.routes li').first().textContent()).toBe('POST/send/textSends a text')
    expect(await chapter.locator('.chapter-rules details').getAttribute('open')).toBe(null)
  })

  test('every summary of a route begins with a verb', () => {
    const summaries = entries.map(({ operation }) => operation.summary)
    expect(summaries.filter((summary) => !/^[A-Z][a-z]+s\b/.test(summary))).toEqual([])
  })

  test('the page is complete without a script', async () => {
    const quiet = await openContext({ javaScriptEnabled: false })
    const plain = await quiet.newPage()
    await plain.goto(`${world.run.baseUrl}/docs`)
    expect(await plain.locator('section#sendText pre').first().textContent()).toContain('curl http')
    await plain.locator('section#sendText .alternatives summary').nth(1).click()
    expect(await plain.locator('section#sendText pre').nth(1).isVisible()).toBe(true)
    await quiet.close()
  })

  const searchPage = async (words: string) => {
    await page.getByRole('combobox').fill(words)
    const options = page.getByRole('option')
    return options.evaluateAll((all) => all.map((one) => one.getAttribute('data-target')))
  }

  test('the search opens by a key and is used with the keyboard alone', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('send text')
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('option').nth(1).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#sendText$/)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+k')
    expect(await searchPage('webhook pigeon')).toEqual([])
    await page.getByText('Nothing was found.').waitFor()
  })

  test.each([
    ['/send/text', 'sendText'],
    ['send te', 'sendText'],
    ['webhok', 'configureWebhook'],
    ['reaktion message', 'reactToMessage'],
    ['linkPreview', 'sendText'],
    ['rate_limited', 'error-rate_limited'],
    ['messages_update', 'on_messages_update'],
    ['MessageRecord', 'MessageRecord'],
    ['retry', 'schedule'],
    ['quick start', 'start-prepare'],
  ])('a search for "%s" finds %s among its first results', async (words, id) => {
    expect((await searchPage(words)).slice(0, 10)).toContain(id)
  })

  test('a search finds words of responses, and groups what it found', async () => {
    expect(await searchPage('isInMsgnet')).toContain('checkNumbers')
    await searchPage('webhook')
    const groups = await page.locator('#found .group').allTextContents()
    expect(groups).toEqual(expect.arrayContaining(['Routes', 'Errors', 'Records', 'Guides']))
    expect(groups[0]).toBe('Routes')
    await page.keyboard.press('Escape')
  })

  test('every error code is in one table', async () => {
    const table = await page.locator('#every-error').textContent()
    expect(faultNames.filter((name) => !table?.includes(new Fault(name).body.error))).toEqual([])
  })

  test('a link to a section scrolls to it, on a phone too', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(`${world.run.baseUrl}/docs#restart`)
    await page.locator('nav a[href="#restart"][aria-current]').waitFor({ state: 'attached' })
    const top = await page.evaluate<number>("document.getElementById('restart').getBoundingClientRect().top")
    expect(Math.abs(top)).toBeLessThan(100)
  })

  test.each([
    [1400, 'light'],
    [1400, 'dark'],
    [390, 'light'],
  ] as const)('at %i pixels, %s, nothing is wider than the page', async (width, colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(scrollWidth).toBeLessThanOrEqual(width)
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(15, 20, 21)' : 'rgb(255, 255, 255)')
  })
})
