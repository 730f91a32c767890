// What the documentation page lets its reader do: run the quick start, choose a language, try an operation, and read it on any screen.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { joinSteps } from '@msgnet/openapi/quick-start/quick-start.ts'
import { SAMPLE_ORIGIN } from '@msgnet/openapi/sample-origin.ts'
import { type LanguageName, languages } from '@msgnet/openapi/samples/languages.ts'
import { deliveryDelays } from '@msgnet/shared/delivery-schedule.ts'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import {
  expectDiscreet,
  hasOverflow,
  inBrowser,
  noBrowser,
  type Visit,
  visitPage,
} from '../console/browser.ts'
import { canRun } from '../optional-programs.ts'
import { asDeployed } from '../world.ts'

const world = await borrowForFile()
const adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
const folder = mkdtempSync(join(tmpdir(), 'quick-start-'))

/** Names and codes of the tables that stand in more than one line. */
const brokenNames = `[...document.querySelectorAll('.fields th > code, .status + td code')]
  .filter((one) => one.getClientRects().length > 1)
  .map((one) => one.textContent)`
/** What reaches over the right edge, but for code, which scrolls. */
const cutOff = `[...document.querySelectorAll('td, th, p, h3, figcaption, label')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.textContent)`

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** How each quick start is run: its file, and what it needs on the machine. */
const programs: Record<LanguageName, { run: string[]; needs: [string, string[]] }> = {
  shell: { run: ['bash', 'start.sh'], needs: ['bash', ['-c', 'command -v curl && command -v openssl']] },
  typescript: { run: [process.execPath, 'start.ts'], needs: [process.execPath, ['--version']] },
  python: { run: ['python3', 'start.py'], needs: ['python3', ['--version']] },
  php: { run: ['php', 'start.php'], needs: ['php', ['--version']] },
  go: { run: ['go', 'run', 'start.go'], needs: ['go', ['version']] },
}

// Its phone is in the simulation, which there is not where the edge is as it would be deployed.
describe.skipIf(asDeployed)('the quick start', () => {
  test.for(Object.keys(languages) as LanguageName[])(
    'in %s links a device, verifies a delivery, sends and receives',
    async (language, { skip }) => {
      const { run, needs } = programs[language]
      if (!canRun(...needs)) skip(`${needs[0]} is not on this machine`)
      const place = join(folder, language)
      mkdirSync(join(place, '.data'), { recursive: true })
      writeFileSync(join(place, '.data', 'admin-token'), adminToken)
      writeFileSync(join(place, 'package.json'), '{"type":"module"}')
      const [program = '', ...args] = run
      const code = joinSteps(language).replaceAll(SAMPLE_ORIGIN, world.run.baseUrl)
      writeFileSync(join(place, args.at(-1) ?? ''), language === 'shell' ? `set -e\n${code}` : code)
      const { stdout } = await promisify(execFile)(program, args, {
        cwd: place,
        env: { ...process.env, GOCACHE: join(tmpdir(), 'go-cache') },
        timeout: 55_000,
      })
      expect(stdout).toMatch(/genuine:.*EventType/s)
      expect(stdout).toMatch(/Sent|Delivered/)
      expect(stdout).toMatch(/wa_name/)
    },
  )
})

describe.skipIf(noBrowser)(inBrowser, () => {
  let guest: Visit
  let page: Page
  let token = ''

  beforeAll(async () => {
    guest = await visitPage(world.run.baseUrl, '/docs')
    page = guest.page
  })

  afterAll(() => guest?.close())

  test('one choice of a language applies to every sample, and the copy button copies what is shown', async () => {
    const sample = page.locator('section#sendText .shown figure').first()
    await sample.getByRole('button', { name: 'Python' }).click()
    expect(await sample.locator('pre').textContent()).toContain(`"${world.run.baseUrl}/send/text"`)
    const other = page.locator('section#findChats .shown figure').first()
    await other.getByRole('button', { name: 'copy' }).click()
    await other.getByRole('button', { name: 'copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^import json, os, urllib\.request/)
    expect(await page.locator('#start-create pre').textContent()).toMatch(/^made = call\("POST"/)
    await page.getByRole('button', { name: 'Copy the whole program' }).click()
    await page.locator('.whole', { hasText: 'copied' }).waitFor()
    const program = joinSteps('python').replaceAll(SAMPLE_ORIGIN, world.run.baseUrl)
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(program)
  })

  test('the chosen language is remembered', async () => {
    await page.reload()
    const sample = page.locator('section#verify figure')
    expect(await sample.locator('pre').textContent()).toContain('def is_genuine')
    await sample.getByRole('button', { name: 'Go', exact: true }).click()
    expect(await page.locator('section#sendText pre').first().textContent()).toMatch(/^package main/)
    await sample.getByRole('button', { name: 'Shell' }).click()
  })

  const openForm = async (id: string) => {
    const form = page.locator(`section#${id} .try`)
    await form.locator('summary').first().click()
    return form
  }

  /** The body is shown after its status: it may still be on its way then. */
  const readAnswer = async (form: Locator) => {
    const answer = form.locator('pre').last()
    await answer.filter({ hasText: /\S/ }).waitFor()
    return (await answer.textContent()) ?? ''
  }

  test('an operation is tried on the own server, and a new instance’s token is used for the next one', async () => {
    const making = await openForm('createInstance')
    await making.getByLabel('admintoken').fill(adminToken)
    await making.getByRole('button', { name: 'POST /instance/init' }).click()
    await making.getByText(/^200 OK · \d+ ms · request id /).waitFor()
    token = JSON.parse(await readAnswer(making)).instance.token
    const form = await openForm('getStatus')
    await form.getByRole('button', { name: 'GET /instance/status' }).click()
    await form.getByText(/^200 OK · /).waitFor()
    expect(await readAnswer(form)).toContain('"connected": false')
    await form.getByText(/^\d+ headers$/).click()
    expect(await form.locator('pre').first().textContent()).toContain('content-type: application/json')
  })

  test('an admin tries an operation of an instance without its token', async () => {
    const form = await openForm('getLimits')
    await form.getByLabel('signed in by').selectOption('admintoken + instance')
    // Typed once, for the instance that was created.
    expect(await form.getByLabel('admintoken', { exact: true }).inputValue()).toBe(adminToken)
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/instance/limits')),
      form.getByRole('button', { name: 'GET /instance/limits' }).click(),
    ])
    const { admintoken, instance, token: own } = await sent.allHeaders()
    expect([admintoken, own]).toEqual([adminToken, undefined])
    expect(instance).toMatch(/^[\da-f-]{36}$/)
    await form.getByText(/^200 OK · /).waitFor()
    await form.getByLabel('signed in by').selectOption('token')
    expect(await form.getByLabel('token', { exact: true }).inputValue()).toBe(token)
  })

  test('a refusal is shown with its status and body', async () => {
    const sending = await openForm('sendText')
    await sending.getByLabel('body').fill('')
    await sending.getByLabel('body').pressSequentially('{\n"number":"1",\n"text":"https://example.com/a"}')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await sending.getByRole('button', { name: 'POST /send/text' }).click()
    await sending.getByText(/^400 Bad Request · /).waitFor()
    expect(await readAnswer(sending)).toContain('"error": "invalid_number"')
  })

  test('the stream is shown as it arrives, until it is stopped', async () => {
    const stream = await openForm('streamEvents')
    await stream.getByRole('button', { name: 'GET /v1/events/stream' }).click()
    await stream.getByText(/^200 OK · /).waitFor()
    await stream.getByRole('button', { name: 'Stop' }).click()
    await stream.getByText(/ · stopped$/).waitFor()
  })

  test('the page requests its own origin only, and tokens are in no URL or storage', async () => {
    expectDiscreet(guest, world.run.baseUrl, [adminToken, token])
    const stored = await page.evaluate(
      'JSON.stringify([location.href, {...localStorage}, {...sessionStorage}])',
    )
    expect(stored).not.toContain(adminToken)
    expect(stored).not.toContain(token)
  })

  test('routes of operators are in a section of their own', async () => {
    const findTop = (id: string) =>
      page.evaluate<number>(`document.getElementById('${id}').getBoundingClientRect().top`)
    const line = await findTop('operators')
    for (const id of ['sendText', 'getStatus', 'configureWebhook', 'on_messages', 'errors'])
      expect(await findTop(id)).toBeLessThan(line)
    for (const id of ['createInstance', 'listHosts', 'configureServerWebhook'])
      expect(await findTop(id)).toBeGreaterThan(line)
  })

  test('the schedule of deliveries is that of the courier', async () => {
    const rows = page.locator('#schedule tbody tr')
    expect(await rows.count()).toBe(deliveryDelays.length + 1)
    expect(await rows.nth(1).textContent()).toBe('25 s5 s')
    expect(await rows.last().textContent()).toBe('1224 h3 d 3 h 42 min 35 s'.replace('24 h', '1 d'))
  })

  test.each([1360, 360])(
    'at %i pixels no name is broken and nothing is wider than the page',
    async (width) => {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate("for (const one of document.querySelectorAll('details:not(.try)')) one.open = true")
      expect(await hasOverflow(page)).toBe(false)
      expect(await page.evaluate(brokenNames)).toEqual([])
      expect(await page.evaluate(cutOff)).toEqual([])
    },
  )

  test('on a phone the contents are folded and can be opened', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await page.locator('nav a[href="#sendText"]').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Contents' }).click()
    const chapter = page.locator('nav details', { has: page.locator('a[href="#sendText"]') })
    if ((await chapter.getAttribute('open')) === null) await chapter.locator('summary').click()
    await page.locator('nav a[href="#sendText"]').click()
    await page.waitForURL(/#sendText$/)
    expect(await page.locator('nav a[href="#sendText"]').isVisible()).toBe(false)
  })
})
