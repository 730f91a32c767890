// What a reader of a conversation expects: pictures at full size, nothing left of a deleted message, and a title that counts.

import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Scene } from '../scene.ts'
import { until } from '../until.ts'
import { expectAccessible, inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

const WIDTH = 900

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page
  let friend = ''

  beforeAll(async () => {
    scene = await borrowScene()
    const { world, device } = scene
    friend = await createPhone(world, 'Anna')
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
  })

  afterAll(() => guest?.close())

  const write = async (text: string): Promise<string> => {
    await scene.world.sim('POST', '/messages', { from: friend, to: scene.device.number, text })
    const { message } = await scene.waitForEvent('messages', (envelope) => envelope.message.text === text)
    return message.messageid
  }
  const findBubble = (text: string) => page.locator('.bubble').filter({ hasText: text })

  test('the title has the name, the page and how many messages are unread', async () => {
    await page.getByRole('link', { name: 'Contacts' }).click()
    await until(async () => (await page.title()) === 'Contacts · Shop')
    await write('Are there roses?')
    await page.getByRole('link', { name: 'Conversation' }).click()
    await until(async () => (await page.title()) === '(1) Conversation · Shop')
    await page.getByRole('link', { name: /Anna/ }).click()
    await page.getByRole('button', { name: 'Mark as read' }).click()
    await until(async () => (await page.title()) === 'Conversation · Shop')
  })

  test('a deleted message keeps neither its quote nor its reactions', async () => {
    const { caller } = scene.device
    const question = await write('Which colour?')
    const wish = { number: friend, text: 'The red ones', replyid: question }
    const { messageid } = (await caller.post('/send/text', wish)).body
    await findBubble('The red ones').locator('blockquote').waitFor()
    await scene.world.sim('POST', `/messages/${messageid}/react`, { by: friend, text: '🌹' })
    await findBubble('The red ones').locator('.reactions').waitFor()
    await caller.post('/message/delete', { id: messageid, number: friend })
    const deleted = findBubble('This message was deleted')
    await deleted.waitFor()
    expect(await deleted.locator('blockquote, .reactions').count()).toBe(0)
  })

  test('a picture is shown at its full size after a press', async () => {
    const file = await sharp({ create: { width: WIDTH, height: 500, channels: 3, background: '#0a7d74' } })
      .png()
      .toBuffer()
    const wish = { number: friend, type: 'image', file: file.toString('base64'), text: 'The garden' }
    expect((await scene.device.caller.post('/send/media', wish)).status).toBe(200)
    await findBubble('The garden').locator('img.media').waitFor()
    await findBubble('The garden').getByRole('button', { name: 'The garden' }).click()
    const shown = page.getByRole('dialog').getByRole('img')
    await until(async () => (await shown.boundingBox())?.width === WIDTH)
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await until(async () => (await page.getByRole('dialog').count()) === 0)
  })
})
