// What an act answers in the console, and the button that takes it back.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Scene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import {
  expectAccessible,
  findHiddenButtons,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page
  let friend = ''
  let messageid = ''

  beforeAll(async () => {
    scene = await borrowScene()
    const { world, device } = scene
    friend = await createPhone(world, 'Anna')
    const wish = { from: friend, to: device.number, text: 'Roses?' }
    messageid = (await world.sim('POST', '/messages', wish)).id as string
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('link', { name: /Anna/ }).click()
  })

  afterAll(() => guest?.close())

  const answer = () => page.locator('.answer')
  const undo = () => answer().getByRole('button', { name: 'Undo' })
  const choose = async (name: string) => {
    const bubble = page.locator('.bubble').filter({ hasText: 'Roses?' })
    await bubble.hover()
    await bubble.getByRole('button', { name: 'Actions for this message' }).click()
    await bubble.getByRole('button', { name, exact: true }).click()
  }
  const isStarred = async (): Promise<boolean> => {
    const { body } = await scene.device.caller.post('/message/find', { id: messageid })
    return body.messages[0].content.starred === true
  }
  const readReaction = async (): Promise<string> => {
    const { messages } = await scene.world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as Seen[]).findLast(({ type }) => type === 'reaction')?.text
  }
  const listBlocked = async () =>
    (await scene.device.caller.get('/chat/blocklist')).body.blockList as string[]

  test('an act says that it is done and is taken back by a key, once, and the next answer replaces it', async () => {
    await choose('Star')
    await answer().getByText('Star: done.').waitFor()
    expect(await isStarred()).toBe(true)
    expect(await answer().getAttribute('role')).toBe('status')
    await expectAccessible(page)
    await undo().focus()
    await page.keyboard.press('Enter')
    await answer().getByText('Star: undone.').waitFor()
    expect(await isStarred()).toBe(false)
    expect(await undo().count()).toBe(0)
    await choose('Star')
    await choose('Pin for everyone (7 days)')
    await answer().getByText('Pin for everyone (7 days): done.').waitFor()
    expect(await answer().getByText('Star').count()).toBe(0)
    await undo().click()
    await answer().getByText('Pin for everyone (7 days): undone.').waitFor()
    await answer().getByRole('button', { name: 'Close' }).click()
    expect(await answer().textContent()).toBe('')
  })

  test('a reaction that is taken back is the one before again', async () => {
    await choose('React with 👍')
    await answer().getByText('👍').waitFor()
    await choose('React with 😂')
    await answer().getByText('😂').waitFor()
    await until(async () => (await readReaction()) === '😂')
    await undo().click()
    await until(async () => (await readReaction()) === '👍')
  })

  test('who was blocked is not any more, and another page has no answer of this one', async () => {
    await page.getByRole('link', { name: 'Blocked' }).click()
    await page.getByRole('button', { name: 'Block a number' }).waitFor()
    expect(await answer().textContent()).toBe('')
    await page.getByRole('button', { name: 'Block a number' }).click()
    await page.getByRole('dialog').getByLabel('Number').fill(friend)
    await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click()
    await undo().waitFor()
    expect(await listBlocked()).toHaveLength(1)
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await findHiddenButtons(page)).toEqual([])
    await expectAccessible(page)
    await undo().click()
    await until(async () => (await listBlocked()).length === 0)
  })
})
