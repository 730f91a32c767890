// The console with invalid times, with an unreadable address, and with a sign-out in another tab.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

interface Timed {
  chats?: { lastMessageTimestamp: unknown }[]
  messages?: { messageTimestamp: unknown }[]
}

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let device: LinkedDevice
  let guest: Visit
  const friends: string[] = []
  const createText = (at: number) => `Message number ${at}`

  beforeAll(async () => {
    world = await borrowWorld()
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    for (let at = 0; at < times.length; at++) {
      const from = await createPhone(world, `Friend ${at}`)
      friends.push(from)
      await world.sim('POST', '/messages', { from, to: device.number, text: createText(at) })
    }
    await until(async () => {
      const { body } = await device.caller.post('/chat/find', {})
      return body.chats.length === times.length
    })
    guest = await visitPage(world.run.baseUrl, '/console')
    await signIn(guest.page, device.token)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  /** As the network may send them. */
  const times = [1e18, -1e18, -5, 8.64e15 + 1, null, 'never', undefined]

  test('chats and messages with invalid times are shown', async () => {
    const { page, complaints } = guest
    for (const path of ['**/chat/find', '**/message/find'])
      await page.route(path, async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as Timed
        for (const [at, chat] of (body.chats ?? []).entries()) chat.lastMessageTimestamp = times[at]
        for (const [at, message] of (body.messages ?? []).entries())
          message.messageTimestamp = times[(at + 3) % times.length]
        await route.fulfill({ response, json: body })
      })
    await page.getByRole('link', { name: 'Conversation' }).click()
    for (const [at] of friends.entries())
      await page.getByRole('link', { name: new RegExp(`Friend ${at}`) }).waitFor()
    for (const [at] of friends.entries()) {
      await page.getByRole('link', { name: new RegExp(`Friend ${at}`) }).click()
      await page
        .locator('.bubble')
        .filter({ hasText: createText(at) })
        .waitFor()
    }
    expect(complaints).toEqual([])
  })

  test.each(['#/%E0%A4%A', '#/instances/%', '#/%'])('the address %s shows the first page', async (hash) => {
    const other = await visitPage(world.run.baseUrl, `/console${hash}`)
    await signIn(other.page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await other.page.getByRole('heading', { name: 'Instances' }).waitFor()
    expect(other.complaints).toEqual([])
    await other.close()
  })

  test.each([true, false])('a sign-out reaches the other tabs (stored in the browser: %s)', async (stay) => {
    const first = await visitPage(world.run.baseUrl, '/console')
    await signIn(first.page, device.token, { stay })
    const second = await first.page.context().newPage()
    await second.goto(`${world.run.baseUrl}/console`)
    if (!stay) await signIn(second, device.token)
    await second.getByRole('heading', { name: 'Flower shop' }).waitFor()
    await first.page.getByRole('button', { name: 'Sign out' }).click()
    await second.getByLabel('Token').waitFor()
    expect(await second.getByText('Flower shop').count()).toBe(0)
    await second.reload()
    await second.getByLabel('Token').waitFor()
    await first.close()
  })
})
