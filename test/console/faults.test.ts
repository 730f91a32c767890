// The faults of the simulation, each with the response of the gateway.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let guest: Visit
  let page: Page

  beforeAll(async () => {
    world = await startWorld()
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await page.getByRole('link', { name: 'Simulation', exact: true }).click()
    await page.getByRole('button', { name: 'New instance' }).click()
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await page.getByRole('button', { name: 'Scan the QR code' }).click()
    await page.getByRole('heading', { name: 'Bruno’s phone' }).waitFor()
    // Without a limit: these tests check the responses.
    await page.getByLabel('Wait 3 s at most (Prefer: wait=3)').uncheck()
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  /** Its line is in the log of the page, among any other lines. */
  const sendText = async (text: string) => {
    await page.getByLabel('Send to Bruno').fill(text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor()
  }
  const findAnswers = () => page.locator('.told-line').filter({ hasText: 'POST /send/text' })
  const endFaults = async () => {
    await page.getByRole('button', { name: 'End all faults' }).click()
    await page.getByText(/^\d on$/).waitFor({ state: 'detached' })
  }

  test('slow: the response takes as long as the network does', async () => {
    await page.getByRole('button', { name: 'Slow' }).click()
    await page.getByText('1 on').waitFor()
    await sendText('Slowly')
    const line = findAnswers().first()
    await line.getByText(/^Accepted by the network\./).waitFor()
    const countText = (await line.locator('.count').textContent()) ?? ''
    expect(Number.parseInt(countText, 10)).toBeGreaterThanOrEqual(2000)
    await endFaults()
  })

  test('a send with a delay shows typing on the phone until the message arrives', async () => {
    const phone = page.getByRole('region', { name: 'Phone' })
    const contact = ((await phone.getByText(/^\+55118\d+$/).textContent()) ?? '').slice(1)
    const request = await page.waitForRequest((request) => request.url().endsWith('/instance/status'))
    const { instance = '' } = request.headers()
    // Longer than any page needs to look once.
    const wish = { number: contact, text: 'Typed for long', delay: 20_000 }
    const sending = world.admin.post('/send/text', wish, { instance })
    await phone.getByText('is typing…').waitFor()
    expect(await phone.getByText('Typed for long').count()).toBe(0)
    expect((await sending).status).toBe(200)
    await phone.getByText('Typed for long').waitFor()
    await phone.getByText('is typing…').waitFor({ state: 'detached' })
  })

  test('a send of the simulation with a delay takes as long as the typing', async () => {
    const slowly = page.getByLabel('Type for 5 s first (delay: 5000)')
    await slowly.check()
    await sendText('Typed by the simulation')
    const line = findAnswers().first()
    await line.getByText(/^Accepted by the network\./).waitFor()
    // A timer may be some milliseconds early.
    const countText = (await line.locator('.count').textContent()) ?? ''
    expect(Number.parseInt(countText, 10)).toBeGreaterThan(4990)
    await slowly.uncheck()
  })

  test('refuse: a send is refused, and the page shows the code and the request id', async () => {
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('1 on').waitFor()
    await sendText('No')
    const line = findAnswers().first()
    await line.getByText('422 operation_refused: The network refused this.').waitFor()
    await line.getByText(/^request id/).waitFor()
    await endFaults()
    await sendText('Yes')
    await findAnswers()
      .first()
      .getByText(/^Accepted by the network\./)
      .waitFor()
  })

  test('close: the session connects again by itself, and sends again', async () => {
    const back = page
      .locator('.told-line')
      .filter({ hasText: 'event connection' })
      .filter({ hasText: 'Connected' })
    const before = await back.count()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('The connection was closed.').waitFor()
    await until(async () => (await back.count()) > before)
    await sendText('Back')
    await findAnswers()
      .first()
      .getByText(/^Accepted by the network\./)
      .waitFor()
  })

  test('log out: the phone removes the device, and can be linked again', async () => {
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('The phone has removed this device.').waitFor()
    await page.getByText('This phone has no linked device yet.').waitFor()
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await page.getByRole('button', { name: 'Scan the QR code' }).click()
    await page.getByRole('heading', { name: 'Bruno’s phone' }).waitFor()
    expect(guest.complaints).toEqual([])
  })
})
