// The conversation of an instance in the console: the list with its search, what is opened without a receipt, and what each kind of message shows.
// @module-tag slow

import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, createQuietPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import {
  expectDiscreet,
  findAccessibilityFaults,
  hasOverflow,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let device: LinkedDevice
  let guest: Visit
  let page: Page
  let jose = ''
  let clara = ''

  const receiveText = (from: string, text: string) =>
    world.sim('POST', '/messages', { from, to: device.number, text })
  const findRow = (name: string) => page.locator('.chat').filter({ hasText: name })
  const findBubble = (text: string) => page.locator('.bubble').filter({ hasText: text })
  const countUnread = async (number: string): Promise<number> => {
    const { body } = await device.caller.post('/chat/find', { search: number })
    return body.chats[0].unreadCount
  }

  const readInbox = async (of: string) =>
    (await world.sim('GET', `/phones/${of}/inbox`)).messages as { id: string; type: string; text: string }[]

  beforeAll(async () => {
    world = await borrowWorld({ ACTION_TIMEOUT_MS: '4000' })
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    jose = await createPhone(world, 'José')
    clara = await createPhone(world, 'Clara')
    await receiveText(jose, 'Are there roses?')
    await receiveText(clara, 'Thank you!')
    await until(async () => (await device.caller.post('/chat/find', {})).body.chats.length === 2)
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  test('a row of the list has the last message and the number of unread ones', async () => {
    await findRow('José').getByText('Are there roses?').waitFor()
    expect(await findRow('José').locator('.unread').textContent()).toBe('1')
    await device.caller.post('/send/text', { number: clara, text: 'See you soon' })
    await findRow('Clara').getByText('You: See you soon').waitFor()
  })

  test('a search finds names without accents and numbers in any spelling, and stands in the address', async () => {
    const search = page.getByLabel('Search chats')
    await search.fill('jose')
    await findRow('Clara').waitFor({ state: 'detached' })
    expect(page.url()).toContain('search=jose')
    await search.fill(`+${clara.slice(0, 2)} (${clara.slice(2, 4)}) ${clara.slice(4)}`)
    await findRow('José').waitFor({ state: 'detached' })
    await findRow('Clara').waitFor()
    await search.fill('xyz')
    await page.getByText('No chat has this name or number.').waitFor()
    await page.getByText('No message has all these words.').waitFor()
    await search.fill('')
    await findRow('José').waitFor()
  })

  test('a search finds texts of messages of all chats or of one, and a hit leads to its place and is marked', async () => {
    const search = page.getByLabel('Search chats')
    const hits = page.getByRole('region', { name: 'Messages' }).locator('.hit')
    await search.fill('SOON')
    await hits.filter({ hasText: 'You: See you soon' }).filter({ hasText: 'Clara' }).waitFor()
    expect(await hits.locator('mark').allTextContents()).toEqual(['soon'])
    await search.fill('roses')
    await hits.filter({ hasText: 'Are there roses?' }).click()
    await page.locator('.found').getByText('Are there roses?').waitFor()
    expect(page.url()).toMatch(/search=roses&message=/)
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Search in this chat' }).click()
    await page.getByRole('heading', { name: 'Messages of José' }).waitFor()
    await search.fill('thank')
    await page.getByText('No message has all these words.').waitFor()
    await page.getByRole('button', { name: 'In all chats' }).click()
    await hits.filter({ hasText: 'Thank you!' }).waitFor()
    await page.goto(page.url().replace(/chats.*/, 'chats'))
    await findRow('José').waitFor()
  })

  test('an opened chat stands in the address, and no receipt is sent before the user asks for it', async () => {
    await findRow('José').click()
    await findBubble('Are there roses?').waitFor()
    expect(page.url()).toContain(`/chats/${encodeURIComponent(`${jose}@s.msgnet.net`)}`)
    const markRead = page.getByRole('button', { name: 'Mark as read' })
    await markRead.waitFor()
    expect(guest.requests.filter((url) => url.endsWith('/chat/read'))).toEqual([])
    expect(await countUnread(jose)).toBe(1)
    await markRead.click()
    await markRead.waitFor({ state: 'detached' })
    expect(await countUnread(jose)).toBe(0)
    await page.goBack()
    await page.getByText('Choose a chat').waitFor()
    await page.goForward()
    await findBubble('Are there roses?').waitFor()
  })

  test('with the option a chat is marked as read when it is opened', async () => {
    await receiveText(clara, 'One more thing')
    await findRow('Clara').locator('.unread').waitFor()
    await page.locator('summary[aria-label="Options of the list"]').click()
    await page.getByLabel('Mark chats as read when I open them').check()
    await findRow('Clara').click()
    await until(async () => (await countUnread(clara)) === 0)
    await findRow('Clara').locator('.unread').waitFor({ state: 'detached' })
    await page.getByLabel('Mark chats as read when I open them').uncheck()
  })

  test('a place, a contact and a poll are shown as such, with the votes', async () => {
    const post = async (path: string, body: object) => {
      const { status, text } = await device.caller.post(path, { number: clara, ...body })
      expect(status, text).toBe(200)
    }
    await post('/send/location', { latitude: -23.55, longitude: -46.63, name: 'The Shop' })
    await post('/send/contact', { fullName: 'Bruno Alves', phoneNumber: '5511988887777' })
    await post('/send/menu', { type: 'poll', text: 'When?', choices: ['Today', 'Tomorrow'] })
    await findBubble('The Shop').getByRole('link', { name: '-23.55, -46.63' }).waitFor()
    await findBubble('Bruno Alves').getByText('5511988887777').waitFor()
    await findBubble('When?').getByText('Tomorrow').waitFor()
  })

  test('a mention shows the name of the person', async () => {
    // From the one whose chat is open.
    const text = `ask @${jose}`
    await world.sim('POST', '/messages', { from: clara, to: device.number, text, mentions: [jose] })
    await findBubble('ask @José').waitFor()
  })

  test('a menu of others is shown with its choices, and a tap as an answer', async () => {
    const choices = [{ id: 'brass', text: 'Of brass' }]
    const menu = { form: 'buttons', text: 'Which lamp?', choices }
    const { id } = await world.sim('POST', '/messages', { from: clara, to: device.number, menu })
    await findBubble('Which lamp?').getByText('Of brass').waitFor()
    await world.sim('POST', `/messages/${id}/tap`, { by: device.number, choice: 'brass' })
    await findBubble('Answer to a menu').getByText('Of brass').waitFor()
  })

  test('an edited message and a reaction are there after the page is loaded again', async () => {
    const { body } = await device.caller.post('/send/text', { number: clara, text: 'Until nien' })
    await device.caller.post('/message/edit', { id: body.messageid, text: 'Until nine' })
    await device.caller.post('/message/react', { id: body.messageid, number: clara, text: '👍' })
    await findBubble('Until nine').getByText('👍', { exact: true }).waitFor()
    await page.evaluate("location.hash = '#/health'")
    await page.goBack()
    await findBubble('Until nine').getByText('edited').waitFor()
    await findBubble('Until nine').getByText('👍', { exact: true }).waitFor()
  })

  test('a place, a contact and a poll are sent by their forms, and arrive', async () => {
    const openForm = async (name: string) => {
      await page.getByRole('button', { name: 'Attach', exact: true }).click()
      await page.locator('.attach .menu').getByRole('button', { name }).click()
      return page.getByRole('dialog', { name })
    }
    const place = await openForm('Place')
    await place.getByLabel('Latitude').fill('-23,5')
    await place.getByLabel('Longitude').fill('-46.25')
    expect(await findAccessibilityFaults(page)).toEqual([])
    await place.getByRole('button', { name: 'Send' }).click()
    await page.locator('.bubble').getByRole('link', { name: '-23.5, -46.25' }).waitFor()
    const contact = await openForm('Contact')
    await contact.getByLabel('Full name').fill('Dora Lima')
    await contact.getByLabel('Phone number').fill('5511977776666')
    await contact.getByRole('button', { name: 'Send' }).click()
    await findBubble('Dora Lima').getByText('5511977776666').waitFor()
    const known = await openForm('Contact')
    await known.getByLabel('Search contacts').fill('jos')
    await known.getByRole('checkbox', { name: 'José' }).check()
    expect(await known.getByLabel('Full name').inputValue()).toBe('José')
    expect(await known.getByLabel('Phone number').inputValue()).toContain('+55')
    await known.getByRole('button', { name: 'Cancel' }).click()
    const poll = await openForm('Poll')
    await poll.getByLabel('Question').fill('Which colour?')
    await poll.getByLabel('Choices').fill('Red')
    expect(await poll.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await poll.getByLabel('Choices').fill('Red\nWhite')
    await poll.getByRole('button', { name: 'Send' }).click()
    await findBubble('Which colour?').locator('meter').nth(1).waitFor()
    const types = async () => (await readInbox(clara)).map(({ type }) => type)
    await until(async () => (await types()).filter((type) => /location|contact|poll/.test(type)).length === 6)
  })

  test('texts that are sent one after another arrive in this order; Shift and Enter break the line', async () => {
    const field = page.getByLabel('Write a message')
    await field.fill('first')
    await field.press('Enter')
    await field.fill('second')
    await field.press('Shift+Enter')
    await field.pressSequentially('line')
    await field.press('Enter')
    await findBubble('second').getByRole('img', { name: 'Delivered' }).waitFor()
    const texts = (await readInbox(clara)).map(({ text }) => text)
    expect(texts.slice(-2)).toEqual(['first', 'second\nline'])
  })

  test('a refused message says why, and stays until the user sends it again or dismisses it', async () => {
    const chat = page.url()
    await page.goto(chat.replace(clara, '5511900000000'))
    await page.getByLabel('Write a message').fill('Is anybody there?')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const bubble = findBubble('Is anybody there?')
    await bubble.getByText('Not sent').waitFor()
    await bubble.getByText('422 not_on_network').waitFor()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await bubble.getByRole('button', { name: 'Send again' }).click()
    await bubble.getByText('Not sent').waitFor()
    await bubble.getByRole('button', { name: 'Dismiss' }).click()
    await bubble.waitFor({ state: 'detached' })
    await page.goto(chat)
  })

  test('an unknown outcome is checked with the same key, and the message is sent once', async () => {
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/send/text')) keys.push(request.headers()['idempotency-key'])
    })
    const quiet = await createQuietPhone(world)
    await page.goto(page.url().replace(clara, quiet))
    await world.sim('POST', '/faults', { kind: 'lost_ack', number: device.number })
    await page.getByLabel('Write a message').fill('Only once')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const bubble = page.locator('.on-its-way')
    await bubble.getByText('It is unknown whether this was sent').waitFor()
    await bubble.getByRole('button', { name: 'Check again' }).click()
    await until(() => keys.length === 2)
    expect(keys[1]).toBe(keys[0])
    await world.sim('DELETE', '/faults')
    const { id } = await until(async () => (await readInbox(quiet))[0])
    await world.sim('POST', `/messages/${id}/receipt`, { by: quiet, type: 'delivered' })
    await bubble.waitFor({ state: 'detached' })
    await findBubble('Only once').getByRole('img', { name: 'Delivered' }).waitFor()
    expect(await readInbox(quiet)).toHaveLength(1)
    await page.goto(page.url().replace(quiet, clara))
    await findBubble('second').waitFor()
  })

  test('after a reload an unknown outcome is asked for with the same key, and the message is sent once', async () => {
    const chat = page.url()
    const quiet = await createQuietPhone(world)
    await page.goto(page.url().replace(clara, quiet))
    await world.sim('POST', '/faults', { kind: 'lost_ack', number: device.number })
    await page.getByLabel('Write a message').fill('Sent once')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('It is unknown whether this was sent').waitFor()
    await page.reload()
    await signIn(page, device.token)
    await page.getByText('It is unknown whether this was sent').waitFor()
    expect(await page.locator('.bubble').count()).toBe(1)
    expect(await findAccessibilityFaults(page)).toEqual([])
    await world.sim('DELETE', '/faults')
    const { id } = await until(async () => (await readInbox(quiet))[0])
    await world.sim('POST', `/messages/${id}/receipt`, { by: quiet, type: 'delivered' })
    await findBubble('Sent once').getByRole('img', { name: 'Delivered' }).waitFor()
    await page.getByText('It is unknown whether this was sent').waitFor({ state: 'detached' })
    expect(await readInbox(quiet)).toHaveLength(1)
    await world.sim('POST', `/messages/${id}/receipt`, { by: quiet, type: 'read' })
    await findBubble('Sent once').getByRole('img', { name: 'Read' }).waitFor()
    await page.reload()
    await signIn(page, device.token)
    await findBubble('Sent once').getByRole('img', { name: 'Read' }).waitFor()
    await page.goto(chat)
  })

  test('a picture and a video show their thumbnails, also in the list, and a large one is not loaded unasked', async () => {
    const thumbnail = (
      await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
        .jpeg()
        .toBuffer()
    ).toString('base64')
    const video = Buffer.alloc(50_000, 1).toString('base64')
    await world.sim('POST', '/messages', {
      from: clara,
      to: device.number,
      video,
      thumbnail,
      caption: 'The shop',
    })
    const bubble = findBubble('The shop')
    await bubble.getByRole('img', { name: /Video/ }).waitFor()
    await bubble.getByRole('button', { name: 'Show' }).waitFor()
    await findRow('Clara').locator('.chat-thumbnail').waitFor()
    expect(guest.requests.filter((url) => url.endsWith('/message/download'))).toEqual([])
  })

  test('a reaction says by whom it is', async () => {
    await receiveText(clara, 'Good night')
    const id = await until(async () => {
      const { body } = await device.caller.post('/message/find', { chatid: clara, limit: 1 })
      return body.messages[0].text === 'Good night' && body.messages[0].messageid
    })
    await device.caller.post('/message/react', { id, number: clara, text: '👍' })
    await world.sim('POST', `/messages/${id}/react`, { by: clara, text: '🌹' })
    const reactions = findBubble('Good night').getByRole('button', { name: /Reactions/ })
    await reactions.and(page.getByRole('button', { name: '👍 You, 🌹 Clara' })).waitFor()
    await reactions.click()
    await findBubble('Good night').getByRole('listitem').getByText('🌹 Clara').waitFor()
  })

  test('a message is starred and pinned, and stays so', async () => {
    const bubble = findBubble('Good night')
    const choose = async (name: RegExp) => {
      await bubble.hover()
      await bubble.getByRole('button', { name: 'Actions for this message' }).click()
      await bubble.getByRole('button', { name }).click()
    }
    await choose(/^Star$/)
    await bubble.getByRole('img', { name: 'Starred' }).waitFor()
    await choose(/^Pin for everyone/)
    await bubble.getByRole('img', { name: 'Pinned' }).waitFor()
    await page.reload()
    await signIn(page, device.token)
    await bubble.getByRole('img', { name: 'Starred' }).waitFor()
    await bubble.getByRole('img', { name: 'Pinned' }).waitFor()
    await choose(/^Unpin$/)
    await bubble.getByRole('img', { name: 'Pinned' }).waitFor({ state: 'detached' })
  })

  test('pinned chats come first, and archived ones are apart', async () => {
    await device.caller.post('/chat/pin', { number: jose, pin: true })
    await device.caller.post('/chat/archive', { number: clara, archive: true })
    await page.reload()
    await signIn(page, device.token)
    await until(async () => /José/.test((await page.locator('.chat').first().textContent()) ?? ''))
    expect(await findRow('Clara').count()).toBe(0)
    await page.getByRole('button', { name: /Archived chats/ }).click()
    await findRow('Clara').waitFor()
    expect(await findRow('José').count()).toBe(0)
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to all chats' }).click()
    await findRow('José').waitFor()
    await device.caller.post('/chat/archive', { number: clara, archive: false })
    await receiveText(jose, 'One more')
    await findRow('Clara').waitFor()
  })

  test('an open chat has no accessibility fault, and fits 360 pixels', async () => {
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await hasOverflow(page)).toBe(false)
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to the chats' }).click()
    await findRow('Clara').waitFor()
    expect(await hasOverflow(page)).toBe(false)
    await page.setViewportSize({ width: 1360, height: 900 })
  })

  test('no page caused an error in the browser', () => {
    expectDiscreet(guest, world.run.baseUrl, [device.token])
  })
})
