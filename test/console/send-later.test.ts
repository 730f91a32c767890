// “Send later” in a conversation: a time is chosen, the message stands in the thread until it is sent or cancelled.
// @module-tag slow

import { HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { inBrowser, noBrowser, type Visit, visitPage } from './browser.ts'
import { checkPage, signIn } from './page-check.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let device: LinkedDevice
  let guest: Visit
  let page: Page
  let friend = ''

  beforeAll(async () => {
    world = await borrowWorld()
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    friend = await createPhone(world, 'Anna')
    const stranger = await createPhone(world, 'Bert')
    await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'Are there roses?' })
    const sendAt = new Date(Date.now() + HOUR).toISOString()
    await device.caller.post('/send/text', { number: stranger, text: 'For Bert', sendAt })
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
    await page.locator('.subnav').getByRole('link', { name: 'Conversation' }).click()
    await openChat()
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  const openChat = async () => {
    await page.getByRole('link', { name: /Anna/ }).click()
    await page.locator('.bubble').filter({ hasText: 'Are there roses?' }).waitFor()
  }
  const field = () => page.getByLabel('Write a message')
  const later = () => page.getByRole('button', { name: 'Send later' })
  const dialog = () => page.getByRole('dialog')
  const listScheduled = async (): Promise<Seen[]> =>
    (await device.caller.get('/v1/scheduled')).body.scheduled.filter(({ text }: Seen) => text !== 'For Bert')
  const findScheduled = (text: string) => page.locator('.bubble .scheduled').filter({ hasText: text })
  const readInbox = async (): Promise<string[]> => {
    const inbox: Seen = await world.sim('GET', `/phones/${friend}/inbox`)
    return inbox.messages.map(({ text }: Seen) => text)
  }

  test('there is nothing to send later until something is written', async () => {
    expect(await later().count()).toBe(0)
    await field().fill('We open at nine.')
    await later().waitFor()
    await checkPage(page)
  })

  test('a past time is not taken, and the one that is chosen stands in the thread', async () => {
    await later().click()
    await dialog().getByText('We open at nine.').waitFor()
    const schedule = dialog().getByRole('button', { name: 'Schedule', exact: true })
    await dialog().getByLabel('Time').fill('2020-01-01T09:00')
    expect(await schedule.isDisabled()).toBe(true)
    await checkPage(page)
    await dialog().getByRole('button', { name: 'In one hour' }).click()
    await schedule.click()
    await findScheduled('We open at nine.')
      .getByText(/Scheduled: /)
      .waitFor()
    expect(await field().inputValue()).toBe('')
    const [message] = await listScheduled()
    expect(message.text).toBe('We open at nine.')
    expect(Math.abs(Date.parse(message.scheduledFor) - Date.now() - HOUR)).toBeLessThan(2 * MINUTE)
    expect(await page.locator('.bubble.mine').count()).toBe(1)
    await checkPage(page)
  })

  test('it stands there after a reload too, and not in another chat', async () => {
    await page.reload()
    await signIn(page, device.token)
    await findScheduled('We open at nine.').waitFor()
    expect(await findScheduled('For Bert').count()).toBe(0)
  })

  test('it is cancelled in the thread', async () => {
    await page.getByRole('button', { name: 'Cancel “We open at nine.”' }).click()
    await until(async () => (await findScheduled('We open at nine.').count()) === 0)
    expect(await listScheduled()).toEqual([])
  })

  test('a file goes later too, with its text', async () => {
    await page.locator('.attach input[type=file]').setInputFiles({
      name: 'prices.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Roses: 3'),
    })
    await field().fill('Our prices')
    await later().click()
    await dialog().getByText('prices.txt').waitFor()
    await dialog().getByRole('button', { name: 'Tomorrow at 9' }).click()
    await dialog().getByRole('button', { name: 'Schedule', exact: true }).click()
    await findScheduled('Our prices').getByText('Document').waitFor()
    expect(await listScheduled()).toMatchObject([{ text: 'Our prices', mediaType: 'document' }])
  })

  test('when it is due it becomes a message with ticks, once', async () => {
    const sendAt = new Date(Date.now() + 15 * SECOND).toISOString()
    await device.caller.post('/send/text', { number: friend, text: 'Good morning!', sendAt })
    await page.reload()
    await signIn(page, device.token)
    await findScheduled('Good morning!').waitFor()
    const sent = page.locator('.bubble.mine').filter({ hasText: 'Good morning!' }).locator('.ticks')
    await sent.waitFor({ timeout: 40_000 })
    await until(async () => (await findScheduled('Good morning!').count()) === 0)
    expect(await sent.count()).toBe(1)
    expect((await readInbox()).filter((text) => text === 'Good morning!')).toHaveLength(1)
    expect(guest.complaints).toEqual([])
  })
})
