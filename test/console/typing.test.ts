// The head of an open chat: who types, records or is online, for those who asked for it.
// @module-tag slow

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import {
  expectAccessible,
  expectDiscreet,
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
  let ana = ''
  let bruno = ''
  let group = ''

  const showPhone = (number: string, state: string, to?: string) =>
    world.sim('POST', `/phones/${number}/presence`, { state, ...(to && { to }) })
  const openChat = (name: string) => page.locator('.chat').filter({ hasText: name }).click()
  const findLine = (text: string | RegExp) => page.locator('.presence-line').getByText(text)
  const findSwitch = (name: string) => page.getByRole('button', { name, exact: true })
  const countSubscribed = async (): Promise<number> => {
    const { entries } = await world.sim('GET', `/log?number=${device.number}`)
    return (entries as { what: string; state?: string }[]).filter(
      ({ what, state }) => what === 'presence' && state === 'subscribe',
    ).length
  }

  beforeAll(async () => {
    world = await borrowWorld()
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    ana = await createPhone(world, 'Ana')
    bruno = await createPhone(world, 'Bruno')
    const { jid } = await world.sim('POST', '/groups', {
      subject: 'Market day',
      owner: ana,
      participants: [bruno, device.number],
    })
    group = jid as string
    await world.sim('POST', '/messages', { from: ana, to: device.number, text: 'Are there roses?' })
    await world.sim('POST', '/messages', { from: bruno, to: group, text: 'Who comes?' })
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

  test('an opened chat subscribes to nothing before the user asks for it', async () => {
    await openChat('Ana')
    await findSwitch('Show when Ana writes').waitFor()
    expect(await findSwitch('Show when Ana writes').getAttribute('aria-pressed')).toBe('false')
    expect(await countSubscribed()).toBe(0)
  })

  test('the head says when the account is offline, and only a button shows it as online', async () => {
    await findSwitch('Show when Ana writes').click()
    await page.getByText('the network says nothing about others').waitFor()
    await expectAccessible(page)
    expect(await countSubscribed()).toBe(1)
    await page.getByRole('button', { name: 'Show as online' }).click()
    await page.getByText('the network says nothing about others').waitFor({ state: 'detached' })
    expect(await findSwitch('Show when Ana writes').getAttribute('aria-pressed')).toBe('true')
  })

  test('a subscribed person is seen to be online, type, record, and leave', async () => {
    await showPhone(ana, 'available')
    await findLine('online').waitFor()
    await showPhone(ana, 'composing', device.number)
    await findLine('typing…').waitFor()
    await expectAccessible(page)
    await showPhone(ana, 'recording', device.number)
    await findLine('recording…').waitFor()
    await showPhone(ana, 'paused', device.number)
    await findLine('online').waitFor()
    await showPhone(ana, 'unavailable')
    await findLine(/^last seen \d\d:\d\d/).waitFor()
  })

  test('typing ends after 15 seconds without a renewal, and with the message', async () => {
    await page.clock.install()
    await page.clock.resume()
    await showPhone(ana, 'composing', device.number)
    await findLine('typing…').waitFor()
    await page.clock.fastForward(16_000)
    await findLine(/^last seen/).waitFor()
    await showPhone(ana, 'composing', device.number)
    await findLine('typing…').waitFor()
    await world.sim('POST', '/messages', { from: ana, to: device.number, text: 'Two, please' })
    await page.locator('.bubble').filter({ hasText: 'Two, please' }).waitFor()
    await findLine('typing…').waitFor({ state: 'detached' })
  })

  test('a group says who types, until it is switched off', async () => {
    await openChat('Market day')
    await findSwitch('Show who writes in this group').click()
    await until(
      async () => (await findSwitch('Show who writes in this group').getAttribute('aria-pressed')) === 'true',
    )
    await showPhone(bruno, 'composing', group)
    await findLine('Bruno is typing…').waitFor()
    await findSwitch('Show who writes in this group').click()
    // Long before it would end by itself.
    await findLine('Bruno is typing…').waitFor({ state: 'detached', timeout: 5000 })
    expect((await device.caller.post('/chat/subscribe', { number: ana })).body.subscriptions).toBe(1)
  })

  test('the switch is still on after a reload', async () => {
    await openChat('Ana')
    await page.reload()
    await signIn(page, device.token)
    await until(
      async () => (await findSwitch('Show when Ana writes').getAttribute('aria-pressed')) === 'true',
    )
  })

  test('a stream that breaks after a state of presence goes on after the last event', async () => {
    const ids: (string | undefined)[] = []
    const envelope = { EventType: 'limits', event: {} }
    const presence = { EventType: 'presence', event: { number: '', state: 'paused', lastSeen: 0 } }
    const body = [
      { ...envelope, seq: 7 },
      { ...presence, seq: 0 },
    ]
      .map((sent) => `data: ${JSON.stringify(sent)}\n\n`)
      .join('')
    await page.route('**/v1/events/stream', async (route) => {
      ids.push(route.request().headers()['last-event-id'])
      if (ids.length === 1) return route.fulfill({ body, contentType: 'text/event-stream' })
      return route.continue()
    })
    await page.reload()
    await signIn(page, device.token)
    await until(() => ids.length > 1)
    expect(ids.slice(0, 2)).toEqual([undefined, '7'])
    await page.unroute('**/v1/events/stream')
  })

  test('no page caused an error in the browser', () => {
    expectDiscreet(guest, world.run.baseUrl, [device.token])
  })
})
