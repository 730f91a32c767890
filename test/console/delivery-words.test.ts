// What the console says of delivery: counts over all webhooks, the set behind a figure, and what came of “Deliver now”.
// @module-tag slow

import { formatPhone } from '@msgnet/console/format-id.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { borrowScene, type Scene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { expectAccessible, inBrowser, noBrowser, openPage, signIn, type Visit, visitPage } from './browser.ts'

/** A retry may come before the click. */
const DELIVER = /^Deliver (now|it again)$/

describe.skipIf(noBrowser)(inBrowser, () => {
  let other: Receiver
  let scene: Scene
  let guest: Visit
  let page: Page
  let friend = ''

  beforeAll(async () => {
    other = await startReceiver()
    scene = await borrowScene()
    friend = await createPhone(scene.world, 'Anna')
    const { caller } = scene.device
    await caller.post('/v1/webhooks', { url: other.url, events: ['messages'] })
    const { token } = (await scene.world.admin.post('/v1/tokens', { name: 'Maria', scope: 'admin' })).body
    guest = await visitPage(scene.world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, token)
  })

  afterAll(async () => {
    await guest?.close()
    await other?.close()
  })

  const write = (text: string) =>
    scene.world.sim('POST', '/messages', { from: friend, to: scene.device.number, text })
  const openTab = async (tab: string) =>
    page.goto(`${scene.world.run.baseUrl}/console#/instances/${scene.device.id}/${tab}`)
  const findRow = () => page.locator('tbody tr').filter({ hasText: formatPhone(scene.device.number) })
  const dialog = () => page.getByRole('dialog')

  test('what waits at the second webhook is counted in the list, and the overview leads to it', async () => {
    other.status = 500
    await write('Refused at the second')
    await until(async () => {
      const { webhooks } = (await scene.device.caller.get('/v1/webhooks')).body
      return webhooks.find(({ first }: Seen) => !first).deliveryStatus.pending > 0
    })
    await openPage(page, 'Overview')
    await page.getByRole('link', { name: /Webhook failing/ }).waitFor()
    const tile = page
      .getByRole('region', { name: 'Events of the last 24 hours' })
      .getByRole('link', { name: /^Waiting/ })
    await tile.click()
    await page.getByRole('button', { name: 'With events that wait', pressed: true }).waitFor()
    expect(await findRow().locator('td').nth(4).textContent()).toBe('1')
    expect(await page.locator('tbody tr').count()).toBe(1)
    await expectAccessible(page)
  })

  test('the page “Health” knows of delivery that fails', async () => {
    await openPage(page, 'Health')
    const line = page.locator('.health-line').filter({ hasText: 'Delivery' })
    await line.getByText('1 failing').waitFor()
    await line.getByText('Down').waitFor()
    await expectAccessible(page)
  })

  test('“Deliver now” says what came of it at that webhook', async () => {
    await openTab('deliveries')
    await page.locator('.delivery-row').filter({ hasText: 'messages' }).first().click()
    await dialog().getByRole('button', { name: other.place }).click()
    await dialog()
      .getByText(/^Tried: 500/)
      .waitFor()
    await expectAccessible(page)
    other.status = 204
    await dialog().getByRole('button', { name: other.place }).click()
    await dialog()
      .getByText(/^Delivered\./)
      .waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
  })

  test('with a single webhook, “Deliver now” says how long the delivery took', async () => {
    const { webhooks } = (await scene.device.caller.get('/v1/webhooks')).body
    const second = webhooks.find(({ first }: Seen) => !first)
    await scene.device.caller.delete(`/v1/webhooks/${second.id}`)
    scene.receiver.status = 500
    await write('Refused at the first')
    await page.getByText(/^Delivery fails since/).waitFor()
    await page.locator('.delivery-row').filter({ hasText: 'messages' }).first().click()
    await dialog().getByRole('button', { name: DELIVER }).click()
    await dialog()
      .getByText(/^Tried: 500 after \d/)
      .waitFor()
    scene.receiver.status = 204
    await dialog().getByRole('button', { name: DELIVER }).click()
    await dialog()
      .getByText(/^Delivered after \d/)
      .waitFor()
  })

  test('a bar of the outcomes leads to the events of its time', async () => {
    await openTab('deliveries')
    await page.locator('.bars a[href]').last().click()
    await until(() => page.url().includes('range=custom'))
    await page.locator('.delivery-row').first().waitFor()
    await expectAccessible(page)
  })
})
