// What the documentation page lets its reader do: run the quick start, choose a language, try an operation, and read it on any screen.

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quickStart } from '../../openapi/quick-start.ts'
import { SAMPLE_ORIGIN } from '../../openapi/sample-origin.ts'
import { deliveryDelays } from '../../shared/delivery-schedule.ts'
import {
  expectDiscreet,
  hasOverflow,
  inBrowser,
  noBrowser,
  type Visit,
  visitPage,
} from '../console/browser.ts'
import { openSharedWorld } from '../shared-world.ts'
import { asDeployed } from '../world.ts'

const world = await openSharedWorld()
const adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
const folder = mkdtempSync(join(tmpdir(), 'quick-start-'))

/** Names and codes of the tables that stand in more than one line. */
const brokenNames = `[...document.querySelectorAll('.fields th > code, .status + td > code')]
  .filter((one) => one.getClientRects().length > 1)
  .map((one) => one.textContent)`
/** What reaches over the right edge, but for code, which scrolls. */
const cutOff = `[...document.querySelectorAll('td, th, p, h3, figcaption, label')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.textContent)`

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const withCurl = (() => {
  try {
    execFileSync('bash', ['-c', 'command -v curl && command -v sed'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

// Its phone is in the laboratory, which there is not where the edge is as it would be deployed.
test.skipIf(asDeployed)(
  'the quick start runs from its first command to its last, and each does what it says',
  async ({ skip }) => {
    if (!withCurl) skip('bash with curl is not on this machine')
    mkdirSync(join(folder, '.data'))
    writeFileSync(join(folder, '.data', 'admin-token'), adminToken)
    const commands = quickStart.map(({ title, command }) => `echo "== ${title}"\n${command}\necho`)
    const script = ['set -e', ...commands].join('\n').replaceAll(SAMPLE_ORIGIN, world.run.baseUrl)
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, timeout: 55_000 })
    const [, , , , scanned = '', hooked = '', sent = '', received = ''] = stdout.split(/^== .*$/m)
    expect(scanned).toContain('"device"')
    expect(hooked).toContain('"delivered":true')
    expect(JSON.parse(sent)).toMatchObject({ fromMe: true, text: 'Your order 7 is on its way.' })
    expect(received).toContain('"isGroup":false')
  },
)

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
    expect(await sample.locator('pre:visible').textContent()).toContain(`"${world.run.baseUrl}/send/text"`)
    const other = page.locator('section#findChats .shown figure').first()
    expect(await other.locator('pre:visible').count()).toBe(1)
    await other.getByRole('button', { name: 'copy' }).click()
    await other.getByRole('button', { name: 'copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await other.locator('pre.in.python').textContent(),
    )
    await sample.getByRole('button', { name: 'curl' }).click()
  })

  const openForm = async (id: string) => {
    const form = page.locator(`section#${id} .try`)
    await form.locator('summary').click()
    return form
  }

  test('an operation is tried on the own server, and a new instance’s token is used for the next one', async () => {
    const making = await openForm('createInstance')
    await making.getByLabel('admintoken').fill(adminToken)
    await making.getByRole('button', { name: 'POST /instance/init' }).click()
    await making.getByText(/^200 · \d+ ms · request id /).waitFor()
    token = JSON.parse((await making.locator('pre').textContent()) ?? '').instance.token
    const form = await openForm('getStatus')
    await form.getByRole('button', { name: 'GET /instance/status' }).click()
    await form.getByText(/^200 · /).waitFor()
    expect(await form.locator('pre').textContent()).toContain('"connected": false')
  })

  test('a refusal is shown with its status and body', async () => {
    const sending = await openForm('sendText')
    await sending.getByLabel('body').fill('{"number":"1"}')
    await sending.getByRole('button', { name: 'POST /send/text' }).click()
    await sending.getByText(/^400 · /).waitFor()
    expect(await sending.locator('pre').textContent()).toContain('"error": "invalid_number"')
  })

  test('the stream is shown as it arrives, until it is stopped', async () => {
    const stream = await openForm('streamEvents')
    await stream.getByRole('button', { name: 'GET /v1/events/stream' }).click()
    await stream.getByText(/^200 · /).waitFor()
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
    for (const id of ['sendText', 'getStatus', 'configureWebhook', 'on_messages'])
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
    await page.locator('nav a[href="#sendText"]').click()
    await page.waitForURL(/#sendText$/)
    expect(await page.locator('nav a[href="#sendText"]').isVisible()).toBe(false)
  })
})
