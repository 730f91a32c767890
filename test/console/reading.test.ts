// What a reader of a conversation expects: pictures at full size and in one place, places on a map, nothing left of a deleted message, and a title that counts.
// @module-tag slow

import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { borrowScene, type Scene } from '../scene.ts'
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

const WIDTH = 900
/** Of a key that may have come before the page was ready for it: it is pressed again then. */
const SOON_MS = 2000

/** In the browser: what it would show of the page, which a browser without a screen shows nowhere. */
const recordNotifications = `globalThis.shownNotifications = []
  globalThis.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title, { body }) { shownNotifications.push({ title, body }) }
    close() {}
  }`

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

  test('the line above the unread messages and the days lie over nothing of each other', async () => {
    await page.getByRole('link', { name: 'Contacts' }).click()
    await write('And tulips?')
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('link', { name: /Anna/ }).click()
    const line = page.locator('.unread-line')
    await line.waitFor()
    const lineBox = await line.boundingBox()
    const days = await Promise.all((await page.locator('.day').all()).map((day) => day.boundingBox()))
    expect(days.length).toBeGreaterThan(0)
    for (const day of days) {
      const isApart =
        lineBox && day && (day.y + day.height <= lineBox.y || lineBox.y + lineBox.height <= day.y)
      expect(isApart).toBe(true)
    }
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

  test('the pictures and videos of a chat are in one place, in pages, and lead to their messages', async () => {
    const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#7d0a2c' } })
      .png()
      .toBuffer()
    const wish = { number: friend, type: 'image', file: small.toString('base64'), text: 'One of many' }
    for (let sent = 0; sent < 24; sent++)
      expect((await scene.device.caller.post('/send/media', wish)).status).toBe(200)
    await page.getByRole('button', { name: 'Pictures and videos' }).click()
    const gallery = page.getByRole('dialog', { name: 'Pictures and videos' })
    const pictures = gallery.getByRole('region', { name: 'Pictures' })
    await until(async () => (await pictures.getByRole('figure').count()) === 24)
    await gallery.getByRole('region', { name: 'Videos' }).getByText('None yet.').waitFor()
    await pictures.getByRole('button', { name: 'Older ones' }).click()
    const first = pictures.getByRole('figure').filter({ hasText: 'The garden' })
    await first.locator('img.media').waitFor()
    await expectAccessible(page)
    await first.getByRole('link').click()
    await until(async () => (await page.getByRole('dialog').count()) === 0)
    await findBubble('The garden').waitFor()
    expect(page.url()).toContain('message=')
    await page.getByRole('button', { name: 'To the newest message' }).click()
  })

  test('on a small screen the name of a chat opens its pictures, and nothing is out of reach', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('button', { name: 'Anna', exact: true }).click()
    const gallery = page.getByRole('dialog', { name: 'Pictures and videos' })
    await gallery.getByRole('figure').first().locator('img.media').waitFor()
    expect(await findHiddenButtons(page)).toEqual([])
    await expectAccessible(page)
    await gallery.getByRole('button', { name: 'Close' }).click()
    await until(async () => (await page.getByRole('dialog').count()) === 0)
    expect(await findHiddenButtons(page)).toEqual([])
    await expectAccessible(page)
    await page.setViewportSize({ width: 1360, height: 900 })
  })

  test('a place has its mark on a map, and is sent by what was copied of one', async () => {
    const place = { latitude: -23.55, longitude: -46.63, name: 'The Shop' }
    await scene.device.caller.post('/send/location', { number: friend, ...place })
    const mark = findBubble('The Shop').locator('.place-map circle')
    const [across, down] = [Number(await mark.getAttribute('cx')), Number(await mark.getAttribute('cy'))]
    // Cells of five degrees, from 180° west and 80° north.
    expect([across * 5 - 180, 80 - down * 5]).toEqual([expect.closeTo(-46.63), expect.closeTo(-23.55)])
    await page.getByRole('button', { name: 'Attach', exact: true }).click()
    await page.locator('.attach .menu').getByRole('button', { name: 'Place' }).click()
    const form = page.getByRole('dialog', { name: 'Place' })
    const readDegrees = () =>
      Promise.all(['Latitude', 'Longitude'].map((name) => form.getByLabel(name).inputValue()))
    for (const copied of [
      '51.5074, 0.1278',
      'https://maps.example/place/x/@51.5074,0.1278,17z',
      'https://www.openstreetmap.org/?mlat=51.5074&mlon=0.1278#map=16/1/2',
      'https://maps.example/?q=51.5074%2C0.1278',
    ]) {
      await form.getByLabel('Longitude').fill('')
      await form.getByLabel('Latitude').fill(copied)
      expect(await readDegrees()).toEqual(['51.5074', '0.1278'])
    }
    // Which of the two is south or west is not guessed.
    await form.getByLabel('Latitude').fill('51.5074 N, 0.1278 W')
    expect(await form.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await form.getByLabel('Latitude').fill('51.5074, -0.1278')
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Send' }).click()
    await page.locator('.bubble').getByRole('link', { name: '51.5074, -0.1278' }).waitFor()
  })

  describe('an admin with two numbers', () => {
    let admin: Visit
    let desk: Page
    let bakery: LinkedDevice

    beforeAll(async () => {
      const { world } = scene
      bakery = await linkDevice(world, await createDevice(world, 'Bakery'))
      await world.sim('POST', '/messages', { from: friend, to: bakery.number, text: 'Is there rye bread?' })
      await write('And daisies?')
      const { token } = (await world.admin.post('/v1/tokens', { name: 'Maria', scope: 'admin' })).body
      admin = await visitPage(world.run.baseUrl, '/')
      desk = admin.page
      await desk.context().grantPermissions(['notifications'], { origin: world.run.baseUrl })
      await desk.addInitScript(recordNotifications)
      await desk.goto(`${world.run.baseUrl}/console`)
      await signIn(desk, token)
    })

    afterAll(() => admin?.close())

    const findWaiting = (text: string) => desk.locator('.waiting-row').filter({ hasText: text })
    const readShown = (): Promise<{ title: string; body: string }[]> => desk.evaluate('shownNotifications')

    test('the inbox has the waiting chats of both, and the menu, the overview, the list and the title count them', async () => {
      await desk.getByRole('link', { name: 'Inbox' }).click()
      await findWaiting('Is there rye bread?').getByText('Bakery').waitFor()
      await findWaiting('And daisies?').getByText('Shop').waitFor()
      await until(async () => /^\(\d+\) Inbox/.test(await desk.title()))
      await expectAccessible(desk)
      await desk.getByLabel('Search').fill('RYE')
      await findWaiting('And daisies?').waitFor({ state: 'detached' })
      await desk.getByRole('link', { name: 'Overview' }).click()
      await desk.getByRole('link', { name: /^Unread messages/ }).waitFor()
      await desk.getByRole('link', { name: 'Instances' }).click()
      const row = desk.getByRole('row').filter({ hasText: 'Bakery' })
      expect(await row.locator('.unread').textContent()).toBe('1')
      expect(await desk.title()).toMatch(/^\(\d+\) Instances/)
    })

    test('on a phone the button of a row of the inbox lies over nothing of it', async () => {
      await desk.getByRole('link', { name: 'Inbox' }).click()
      const row = findWaiting('Is there rye bread?')
      const name = 'The bakery at the old market square'
      await row.locator('.strong + .cut').evaluate((node, text) => node.replaceChildren(text), name)
      // Of another day, and in English the longest.
      const date = row.locator('.chat .count').first()
      await date.evaluate((node) => node.replaceChildren('Dec 17, 12:06 AM'))
      await desk.setViewportSize({ width: 360, height: 740 })
      const { x: buttonAt } = (await row.getByRole('button').boundingBox()) ?? { x: 0 }
      const { x: dateAt, width } = (await date.boundingBox()) ?? { x: 0, width: 0 }
      await desk.setViewportSize({ width: 1280, height: 720 })
      expect(width).toBeGreaterThan(0)
      expect(dateAt + width).toBeLessThanOrEqual(buttonAt)
    })

    test('a row of the inbox leads to its chat, and is marked as read by its button', async () => {
      await desk.getByRole('link', { name: 'Inbox' }).click()
      await findWaiting('Is there rye bread?').getByRole('link').click()
      await desk.locator('.bubble').getByText('Is there rye bread?').waitFor()
      expect(desk.url()).toContain(`/instances/${bakery.id}/chats/`)
      await desk.goBack()
      await findWaiting('Is there rye bread?').getByRole('button', { name: 'Mark Anna as read' }).click()
      await findWaiting('Is there rye bread?').waitFor({ state: 'detached' })
      const { body } = await bakery.caller.post('/chat/find', { unread: true })
      expect(body.chats).toEqual([])
    })

    test('a new message is notified of out of sight, once the button was pressed, and not after it was pressed again', async () => {
      const { world } = scene
      expect(await readShown()).toEqual([])
      await desk.getByRole('button', { name: 'Notify me here' }).click()
      await desk.getByRole('button', { name: 'Stop notifying me' }).waitFor()
      expect(await readShown()).toMatchObject([{ title: 'Notifications are on' }])
      await desk.evaluate('document.hasFocus = () => false')
      await world.sim('POST', '/messages', { from: friend, to: bakery.number, text: 'Two, please' })
      await until(async () => (await readShown()).length === 2)
      expect((await readShown())[1]).toEqual({ title: 'Anna · Bakery', body: 'Two, please' })
      await desk.getByRole('button', { name: 'Stop notifying me' }).click()
      await world.sim('POST', '/messages', { from: friend, to: bakery.number, text: 'Or three' })
      await findWaiting('Or three').waitFor()
      expect(await readShown()).toHaveLength(2)
    })

    test('Ctrl and K open a field that finds pages, instances and chats, and Enter leads to the chosen one', async () => {
      const field = desk.getByRole('combobox', { name: 'Go to a page, an instance or a chat' })
      const choose = async (typed: string, keys: string[], title: string) => {
        await desk.keyboard.press('Control+k')
        await field.fill(typed)
        await desk.locator(`[aria-selected=true] > span:text-is("${typed}"):first-of-type`).waitFor()
        for (const key of keys) await desk.keyboard.press(key)
        await until(async () => (await desk.title()).replace(/^\(\S+\) /, '') === title)
        expect(await field.count()).toBe(0)
      }
      await choose('Audit log', ['Enter'], 'Audit log · msgnet gateway')
      // Its name comes before a chat that waits there.
      await choose('Bakery', ['ArrowDown', 'ArrowUp', 'Enter'], 'Device · Bakery')
      await choose('Anna', ['Enter'], 'Conversation · Bakery')
      await desk.locator('.bubble').getByText('Or three').waitFor()
      await desk.getByRole('button', { name: 'Go to…' }).click()
      await field.fill('no such thing')
      await desk.getByText('Nothing has this name.').waitFor()
      await expectAccessible(desk)
      await desk.keyboard.press('Escape')
    })

    test('what could not be loaded for a key is told, and the key tries again', async () => {
      const other = await visitPage(scene.world.run.baseUrl, '/console')
      try {
        await signIn(other.page, scene.device.token)
        await other.page.context().setOffline(true)
        await other.page.keyboard.press('Control+k')
        await other.page
          .getByRole('dialog')
          .getByText('This part of the console could not be loaded.')
          .waitFor()
        await other.page.context().setOffline(false)
        // The browser needs a moment to notice that it has a network again.
        await until(async () => {
          await other.page.keyboard.press('Escape')
          await other.page.getByRole('dialog').waitFor({ state: 'detached', timeout: SOON_MS })
          await other.page.keyboard.press('Control+k')
          await other.page.getByRole('dialog').waitFor({ timeout: SOON_MS })
          return other.page.getByRole('combobox').isVisible()
        })
      } finally {
        await other.close()
      }
    })

    test('Alt and an arrow lead to another chat also from the text that is written', async () => {
      const { world } = scene
      const from = await createPhone(world, 'Bruno')
      await world.sim('POST', '/messages', { from, to: bakery.number, text: 'Open today?' })
      await desk.locator('a.chat').filter({ hasText: 'Open today?' }).waitFor()
      await desk.getByLabel('Write a message').focus()
      await desk.keyboard.press('Alt+ArrowUp')
      await desk.locator('.bubble').getByText('Open today?').waitFor()
    })

    test('a question mark lists the keys; they lead on, and are letters where a text is written', async () => {
      await desk.getByLabel('Write a message').fill('')
      await desk.keyboard.type('gi?')
      expect(await desk.getByLabel('Write a message').inputValue()).toBe('gi?')
      await desk.getByLabel('Write a message').fill('')
      await desk.locator('.thread-body').focus()
      await desk.keyboard.press('?')
      await desk.getByRole('dialog').getByText('Next chat').waitFor()
      await expectAccessible(desk)
      await desk.keyboard.press('Escape')
      await desk.getByRole('dialog').waitFor({ state: 'detached' })
      await desk.keyboard.press('/')
      await until(() => desk.evaluate("document.activeElement.ariaLabel === 'Search chats and messages'"))
      await desk.locator('.thread-body').focus()
      await desk.keyboard.type('gi')
      await desk.getByRole('heading', { name: 'Instances' }).waitFor()
      expect(admin.complaints).toEqual([])
    })
  })
})
