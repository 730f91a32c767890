// A device that its phone removed: the console says so first, with what to do, and asks for nothing that needs a device.

import { formatPhone } from '@msgnet/console/format-id.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Scene } from '../scene.ts'
import { until } from '../until.ts'
import { expectAccessible, inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page
  const refused: string[] = []

  beforeAll(async () => {
    scene = await borrowScene()
    const { world, device } = scene
    for (let count = 0; count < 6; count++) {
      const from = await createPhone(world, `Guest ${count}`)
      await world.sim('POST', '/messages', { from, to: device.number, text: `Hello ${count}` })
    }
    await scene.waitForEvent('messages', ({ message }) => message.text === 'Hello 5')
    await world.sim('POST', `/phones/${device.number}/unlink`, {})
    await until(
      async () => (await device.caller.get('/instance/status')).body.instance.status === 'disconnected',
    )
    const { token } = (await world.admin.post('/v1/tokens', { name: 'Maria', scope: 'admin' })).body
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    page.on('response', (response) => {
      if (response.status() === 409) refused.push(response.url())
    })
    await signIn(page, token)
  })

  afterAll(() => guest?.close())

  const openTab = (tab: string) =>
    page.goto(`${scene.world.run.baseUrl}/console#/instances/${scene.device.id}/${tab}`)

  test('the cause and its remedy stand first, with the number, and delivery is not praised', async () => {
    await openTab('device')
    const banner = page.locator('.banner.bad')
    await banner.getByText(/^The phone removed this device. since/).waitFor()
    await banner.getByText(formatPhone(scene.device.number)).waitFor()
    await page.locator('.facts').getByText(formatPhone(scene.device.number)).waitFor()
    expect(await page.locator('.page-head .badge.good').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Disconnect', exact: true }).isDisabled()).toBe(true)
    await expectAccessible(page)
  })

  test('its conversation is read without asking for pictures that are refused', async () => {
    await openTab('chats')
    await page.getByRole('link', { name: /Guest 3/ }).click()
    await page.locator('.bubble').getByText('Hello 3').waitFor()
    await page.waitForLoadState('networkidle')
    expect(refused).toEqual([])
  })

  test('one button begins to link it again', async () => {
    await openTab('device')
    await page.getByRole('button', { name: 'Link again' }).click()
    await page.locator('img.qr').waitFor()
    expect(await page.locator('.banner.bad').count()).toBe(0)
  })
})
