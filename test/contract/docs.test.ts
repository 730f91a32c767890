// The documentation page as a reader meets it: complete, at home without the internet, searchable, by day and by night.

import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entries } from '../../openapi/document.ts'
import { Fault, faultNames } from '../../shared/fault-table.ts'
import { openSharedWorld } from '../shared-world.ts'

const executablePath = '/usr/bin/chromium'
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const world = await openSharedWorld()

describe.skipIf(!existsSync(executablePath))(`in a browser (skipped without ${executablePath})`, () => {
  let browser: Browser
  let page: Page
  const complaints: string[] = []
  const requested = new Set<string>()

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args })
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => requested.add(request.url()))
    await page.goto(`${world.run.baseUrl}/docs`)
  })

  afterAll(() => browser?.close())

  test('the page loads nothing else, and its policy allows all of it', () => {
    expect([...requested]).toEqual([`${world.run.baseUrl}/docs`])
    expect(complaints).toEqual([])
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

  test('the errors of a route are its own', async () => {
    const errors = page.locator('section#createInstance details.errors')
    await errors.locator('summary').click()
    expect(await errors.textContent()).toContain('invalid_kind')
    expect(await errors.textContent()).not.toContain('not_on_network')
  })

  test('search shows matching sections only', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('webhook')
    expect(await page.locator('section#configureWebhook').isVisible()).toBe(true)
    expect(await page.locator('section#sendText').isVisible()).toBe(false)
    await page.keyboard.type(' pigeon')
    expect(await page.locator('.nothing').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.locator('section#sendText').isVisible()).toBe(true)
  })

  test('search finds fields, error codes and words of descriptions', async () => {
    const searchPage = async (words: string) => {
      await page.getByRole('searchbox').fill(words)
      return page.locator('section[data-words]:not([hidden])').evaluateAll((all) => all.map(({ id }) => id))
    }
    expect(await searchPage('linkPreview')).toContain('sendText')
    expect(await searchPage('not_on_network')).toEqual(expect.arrayContaining(['sendText', 'every-error']))
    expect(await searchPage('not_on_network')).not.toContain('live')
    await page.getByRole('searchbox').fill('')
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
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(19, 24, 23)' : 'rgb(255, 255, 255)')
  })
})
