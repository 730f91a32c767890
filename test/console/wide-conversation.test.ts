// A conversation has the window: the menus beside it are icons, and what is set once is behind one.
// @module-tag slow

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Scene } from '../scene.ts'
import {
  expectAccessible,
  findFaultsIn,
  findHiddenButtons,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

const CHATS = 14

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page

  beforeAll(async () => {
    scene = await borrowScene()
    const { world, device } = scene
    for (let count = 0; count < CHATS; count++) {
      const from = await createPhone(world, `Guest ${count}`)
      await world.sim('POST', '/messages', { from, to: device.number, text: `Hello ${count}` })
    }
    const { token } = (await world.admin.post('/v1/tokens', { name: 'Maria', scope: 'admin' })).body
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, token)
    await page.goto(`${world.run.baseUrl}/console#/instances/${device.id}/chats`)
    await page.getByRole('link', { name: /Guest 5/ }).click()
    await page.locator('.bubble').getByText('Hello 5').waitFor()
  })

  afterAll(() => guest?.close())

  const measure = async (selector: string) => {
    const box = await page.locator(selector).boundingBox()
    return box ?? { x: 0, y: 0, width: 0, height: 0 }
  }

  test('of 1440 by 900 pixels the thread has 950 across, and ten chats stand in the list', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const [thread, list] = [await measure('.thread'), await measure('.talk-list')]
    expect(thread.width).toBeGreaterThan(950)
    expect(thread.height).toBeGreaterThan(800)
    expect(Math.floor(list.height / 62)).toBeGreaterThanOrEqual(10)
    const composer = await measure('.composer')
    expect(composer.y + composer.height).toBeLessThanOrEqual(900)
    expect(await findHiddenButtons(page)).toEqual([])
  })

  test('the icons of both menus have names, and lead on', async () => {
    await expectAccessible(page)
    await page.locator('.subnav').getByRole('link', { name: 'Device' }).click()
    await page.getByText('Linked and connected.').waitFor()
    expect((await measure('nav.side')).width).toBeGreaterThan(200)
    await page.goBack()
    await page.locator('.bubble').getByText('Hello 5').waitFor()
    expect((await measure('nav.side')).width).toBeLessThan(80)
    await page.locator('nav.side').getByRole('link', { name: 'Overview' }).waitFor()
  })

  test('on a small screen the chat and its composer fit, light and dark', async () => {
    const small = { width: 360, height: 740 }
    const faults = await findFaultsIn(page, [
      { ...small, colorScheme: 'light' },
      { ...small, colorScheme: 'dark' },
    ])
    expect(faults).toEqual([])
    const composer = await measure('.composer')
    expect(composer.y + composer.height).toBeLessThanOrEqual(small.height)
    expect(await findHiddenButtons(page)).toEqual([])
    expect((await measure('.thread .talk-head h2')).width).toBeGreaterThan(60)
  })

  test('what is set once stands behind one button of the list', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const option = page.getByLabel('Mark chats as read when I open them')
    expect(await option.isVisible()).toBe(false)
    await page.locator('summary[aria-label="Options of the list"]').click()
    await option.waitFor()
    await expectAccessible(page)
  })
})
