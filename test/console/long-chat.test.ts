// A chat of hundreds of messages in the console: what is drawn of it, where the reader stays, and how the unread ones are reached.
// @module-tag slow

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'
import { unlimited } from '../world.ts'
import {
  expectDiscreet,
  findAccessibilityFaults,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

const TOTAL = 320

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let device: LinkedDevice
  let guest: Visit
  let page: Page
  let jose = ''

  const receive = (text: string, count?: number) =>
    world.sim('POST', '/messages', { from: jose, to: device.number, text, ...(count && { count }) })
  const countPages = () => guest.requests.filter((url) => url.endsWith('/message/find')).length
  /** Where each drawn message is, as pixels below the top of the log. */
  const readPlaces = (): Promise<Record<string, number>> =>
    page.evaluate(`(() => {
      const top = document.querySelector('.thread-body').getBoundingClientRect().top
      return Object.fromEntries([...document.querySelectorAll('.message-row')].map((row) => [row.dataset.key, row.getBoundingClientRect().bottom - top]))
    })()`)
  const scrollBy = async (pixels: number) => {
    await page.locator('.thread-body').hover()
    await page.mouse.wheel(0, pixels)
  }
  /** In steps of so many pixels, and returns the messages that were drawn on the way. */
  const scrollToEdge = (step: number): Promise<string[]> =>
    page.evaluate(`(async () => {
      const log = document.querySelector('.thread-body')
      const seen = new Set()
      for (let still = 0; still < 20; ) {
        for (const row of document.querySelectorAll('.message-row')) seen.add(row.dataset.key)
        const before = log.scrollTop
        log.scrollTop += ${step}
        await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))
        const isLoading = document.querySelector('.log-notes [role=status]') !== null
        still = log.scrollTop === before && !isLoading ? still + 1 : 0
      }
      return [...seen]
    })()`)
  const distanceFromEnd = (): Promise<number> =>
    page.evaluate(
      "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.thread-body'))",
    )

  beforeAll(async () => {
    world = await borrowWorld(unlimited)
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    jose = await createPhone(world, 'José')
    await receive('The very first order')
    await receive('An order', TOTAL - 1)
    await until(
      async () => (await device.caller.post('/chat/find', {})).body.chats[0]?.unreadCount === TOTAL,
      {
        within: 30_000,
      },
    )
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await page.getByLabel('Token').fill(device.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('.chat').first().click()
    await page.locator('.bubble').first().waitFor()
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  test('a chat opens at its newest message, and only what is near is requested and drawn', async () => {
    await until(async () => (await distanceFromEnd()) < 3)
    expect(await page.locator('.bubble').count()).toBeLessThan(60)
    expect(countPages()).toBeLessThanOrEqual(2)
  })

  test('earlier pages come by scrolling, and the message that is read stays in its place', async () => {
    const before = countPages()
    await scrollBy(-9000)
    await until(() => countPages() > before)
    const places = await readPlaces()
    await until(
      () =>
        countPages() > before &&
        page
          .locator('.log-notes [role=status]')
          .count()
          .then((n) => n === 0),
    )
    const after = await readPlaces()
    const common = Object.keys(places).filter((key) => key in after)
    expect(common.length).toBeGreaterThan(5)
    for (const key of common) expect(Math.abs((after[key] ?? 0) - (places[key] ?? 0))).toBeLessThan(3)
    await receive('Are you there?')
    await page.locator('.log-end').getByText('1', { exact: true }).waitFor()
    const later = await readPlaces()
    for (const key of common) expect(Math.abs((later[key] ?? 0) - (places[key] ?? 0))).toBeLessThan(3)
  })

  test('the oldest message is reached, with its day, and no message is shown twice or left out', async () => {
    const up = await scrollToEdge(-500)
    await page.locator('.message-row .day').waitFor()
    const down = await scrollToEdge(500)
    const seen = new Set([...up, ...down])
    expect(seen.size).toBe(TOTAL + 1)
    expect(await page.locator('.bubble').count()).toBeLessThan(60)
  })

  test('one button leads to the first unread message, one to the newest', async () => {
    await page.getByRole('button', { name: /To the first of/ }).click()
    await page.getByText(`${TOTAL + 1} unread messages`).waitFor()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'To the newest message' }).click()
    await until(async () => (await distanceFromEnd()) < 3)
    await page.getByRole('button', { name: 'Mark as read' }).click()
    const left = TOTAL + 1 - limits.maxMarkedMessages
    await page.getByRole('button', { name: `To the first of ${left} unread` }).waitFor()
  })

  test('what arrives at the end is shown, and what the user sends is shown from everywhere', async () => {
    await receive('Hello again')
    await page.locator('.bubble').getByText('Hello again').waitFor()
    await until(async () => (await distanceFromEnd()) < 3)
    await scrollBy(-3000)
    await until(async () => (await distanceFromEnd()) > 2000)
    await page.getByLabel('Write a message').fill('I am here')
    await page.getByLabel('Write a message').press('Enter')
    await page.locator('.bubble').getByText('I am here').waitFor()
    await until(async () => (await distanceFromEnd()) < 3)
  })

  test('a message that grows before the browser has reported the last scroll moves nobody from the end', async () => {
    // As a slow browser does it: the row is higher, then the event of a scroll before it comes, and last the new sizes.
    await page
      .locator('.bubble')
      .filter({ hasText: 'Hello again' })
      .evaluate((bubble: { style: { minHeight: string }; closest(of: string): EventTarget | null }) => {
        bubble.style.minHeight = '400px'
        bubble.closest('.thread-body')?.dispatchEvent(new Event('scroll'))
      })
    await until(async () => (await distanceFromEnd()) < 3)
    await receive('Still here?')
    await page.locator('.bubble').getByText('Still here?').waitFor()
  })

  test('a message far back that a search finds is shown with what is around it, and the way to the newest is there', async () => {
    const before = countPages()
    await page.getByLabel('Search chats').fill('first very')
    await page.locator('.hit').click()
    const found = page.locator('.found')
    await found.getByText('The very first order').waitFor()
    await until(async () => {
      const top = await found.evaluate((row) => row.getBoundingClientRect().top)
      return top > 100 && top < 500
    })
    expect(countPages() - before).toBeLessThan(20)
    await page.getByRole('button', { name: 'To the newest message' }).click()
    await page.locator('.bubble').getByText('I am here').waitFor()
    await page.getByLabel('Search chats').fill('')
  })

  test('a pasted file is attached, and a pasted text is not', async () => {
    const paste = (script: string) =>
      page.evaluate(`(() => {
        const data = new DataTransfer()
        ${script}
        document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
      })()`)
    await paste("data.setData('text/plain', 'words')")
    expect(await page.locator('.composer .note').count()).toBe(0)
    await paste("data.items.add(new File(['list'], 'prices.txt', { type: 'text/plain' }))")
    await page.getByText('File: prices.txt').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.bubble.mine').getByText('Document').waitFor()
  })

  test('a line above the chats says how far the history of a new account has come', async () => {
    const fresh = await createDevice(world, 'Bakery')
    const buildChunk = (progress: number) => ({
      type: 'full',
      progress,
      chats: [{ with: jose, name: 'José', messages: 3 }],
    })
    const number = await createPhone(world, 'Baker', { history: [buildChunk(40)] })
    await fresh.caller.post('/instance/connect', { history: 'full' })
    const qr = await until(async () => (await fresh.caller.get('/instance/status')).body.pairing?.qr)
    await world.sim('POST', `/phones/${number}/scan`, { qr })
    await waitUntilConnected(fresh)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, fresh.token)
    await page.getByRole('link', { name: 'Conversation' }).click()
    const line = page.getByRole('progressbar', { name: 'Messages of the past' })
    await until(async () => Number(await line.getAttribute('value')) > 0)
    await page.locator('.chat').first().waitFor()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await world.sim('POST', `/phones/${number}/history`, buildChunk(100))
    await line.waitFor({ state: 'detached' })
  })

  test('no page caused an error in the browser', () => {
    expectDiscreet(guest, world.run.baseUrl, [device.token])
  })
})
