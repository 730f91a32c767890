// A gap in the messages of an account, as the conversation shows it in each language: where it is, what is missing of it, and what came late.
// @module-tag slow

import { placeGaps } from '@msgnet/console/place-gaps.ts'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import type { Gap } from '@msgnet/shared/contract/coverage.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import {
  createDevice,
  createPhone,
  type Device,
  type LinkedDevice,
  linkDevice,
  waitUntilConnected,
} from '../device.ts'
import { until } from '../until.ts'
import { expectAccessible, expectDiscreet, inBrowser, noBrowser, signIn, visitPage } from './browser.ts'

const MINUTE = 60_000

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let device: LinkedDevice
  let ben = ''
  /** When the message of the gap was sent. */
  let missedAt = 0

  beforeAll(async () => {
    world = await borrowWorld()
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    ben = await createPhone(world, 'Ben')
    await world.sim('POST', '/messages', { from: ben, to: device.number, text: 'Before the gap' })
    await until(async () => (await listChats(device)).length === 1)
    await world.sim('POST', '/phones', { number: device.number, history: [] })
    await device.caller.post('/instance/disconnect')
    // The network's times are whole seconds.
    missedAt = Math.ceil((Date.now() + 1) / 1000) * 1000
    await until(() => Date.now() > missedAt)
    const { body } = await device.caller.post('/instance/connect')
    await world.sim('POST', `/phones/${device.number}/scan`, { qr: body.pairing.qr })
    await waitUntilConnected(device)
    await until(() => Date.now() > missedAt + 1000)
    await world.sim('POST', '/messages', { from: ben, to: device.number, text: 'After the gap' })
  })

  afterAll(() => world?.close())

  const listChats = async ({ caller }: Device) => (await caller.post('/chat/find', {})).body.chats
  const sendHistory = (progress: number, sentAt: number[]) =>
    world.sim('POST', `/phones/${device.number}/history`, {
      type: 'recent',
      progress,
      chats: [{ with: ben, sentAt }],
    })

  async function openChat(locale: string, texts: typeof english) {
    const visit = await visitPage(world.run.baseUrl, '/console', { locale })
    await signIn(visit.page, device.token, { texts })
    await visit.page.getByRole('link', { name: texts.instance.tabs.chats }).click()
    await visit.page.locator('.chat').first().click()
    await visit.page.getByText('After the gap').last().waitFor()
    return visit
  }

  const languages = [
    ['en', english],
    ['pt-BR', portuguese],
    ['es', spanish],
  ] as const

  test.each(languages)('a chat shows in %s where messages may be missing', async (locale, texts) => {
    const visit = await openChat(locale, texts)
    const rows = visit.page.locator('.message-row')
    const line = rows.last().locator('.gap-line')
    await line.getByText(texts.conversation.gapStates.open).waitFor()
    expect(await visit.page.locator('.gap-line').count()).toBe(1)
    expect(await rows.last().locator('.bubble').textContent()).toContain('After the gap')
    await expectAccessible(visit.page)
    expectDiscreet(visit, world.run.baseUrl, [device.token])
    await visit.close()
  })

  test('what the phone sends of the gap stands below its line, marked as late', async () => {
    const visit = await openChat('en', english)
    const { page } = visit
    await page.locator('.gap-line').getByText(english.conversation.gapStates.open).waitFor()
    await sendHistory(50, [missedAt])
    await page.locator('.gap-line').getByText(english.conversation.gapStates.filling).waitFor()
    await sendHistory(100, [missedAt - 60 * MINUTE])
    await page.locator('.gap-line').getByText(english.conversation.gapStates.filled).waitFor()
    const late = page.locator('.bubble', { hasText: english.conversation.late })
    await page
      .locator('.message-row', { has: page.locator('.gap-line') })
      .filter({ has: late })
      .waitFor()
    expect(await late.count()).toBe(1)
    await expectAccessible(page)
    expectDiscreet(visit, world.run.baseUrl, [device.token])
    await visit.close()
  })
})

const gap = (from: number, state: Gap['state']): Gap => ({ from, to: from + 10, state, recovered: 0 })
const chat = (...times: number[]) => ({
  messages: times.map((time) => ({ ...emptyMessage, messageid: `at ${time}`, messageTimestamp: time })),
  hasEarlier: false,
  hasLater: false,
})

test('a gap stands before the first message after its beginning, or at the end, the older of two first', () => {
  const gaps = [gap(60, 'open'), gap(40, 'partial'), gap(20, 'filling')]
  expect([...placeGaps(gaps, chat(10, 50))]).toEqual([
    ['at 50', [gap(20, 'filling'), gap(40, 'partial')]],
    ['', [gap(60, 'open')]],
  ])
})

test('a filled gap is shown only where the chat has messages of it', () => {
  expect([...placeGaps([gap(20, 'filled')], chat(10, 25)).keys()]).toEqual(['at 25'])
  expect(placeGaps([gap(20, 'filled')], chat(10, 50)).size).toBe(0)
  expect(placeGaps([gap(20, 'filled')], chat(10)).size).toBe(0)
})

test('a gap of a page that was not read is not shown at its edge', () => {
  const gaps = [gap(60, 'open'), gap(0, 'open')]
  expect(placeGaps(gaps, { ...chat(20, 50), hasEarlier: true, hasLater: true }).size).toBe(0)
})
