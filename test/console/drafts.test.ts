// What is written in a conversation and not sent yet: texts and files of each chat, until they are sent or given up.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { inBrowser, noBrowser, type Visit, visitPage } from './browser.ts'
import { signIn } from './page-check.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  const folder = mkdtempSync(join(tmpdir(), 'drafts-'))
  let world: BorrowedWorld
  let device: LinkedDevice
  let guest: Visit
  let page: Page
  let ana = ''

  const openChat = (name: string) => page.locator('.chat').filter({ hasText: name }).click()
  const field = () => page.getByLabel('Write a message')
  const files = () => page.locator('.attach input[type=file]')
  const readInbox = async (): Promise<Seen[]> =>
    (await world.sim('GET', `/phones/${ana}/inbox`)).messages as Seen[]

  beforeAll(async () => {
    world = await borrowWorld()
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    ana = await createPhone(world, 'Ana')
    const bruno = await createPhone(world, 'Bruno')
    for (const from of [ana, bruno])
      await world.sim('POST', '/messages', { from, to: device.number, text: 'Are there roses?' })
    await until(async () => (await device.caller.post('/chat/find', {})).body.chats.length === 2)
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
    await page.locator('.subnav').getByRole('link', { name: 'Conversation' }).click()
    await openChat('Ana')
  })

  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await guest?.close()
    await world?.close()
  })

  test('a text that was not sent is there again when its chat is opened again', async () => {
    await field().fill('Red ones, for')
    await openChat('Bruno')
    await until(async () => (await field().inputValue()) === '')
    await field().fill('No, tulips')
    await openChat('Ana')
    await until(async () => (await field().inputValue()) === 'Red ones, for')
    await field().fill('Red ones, for three')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await until(async () => (await readInbox()).at(-1)?.text === 'Red ones, for three')
    await openChat('Bruno')
    await until(async () => (await field().inputValue()) === 'No, tulips')
    await openChat('Ana')
    await until(async () => (await field().inputValue()) === '')
  })

  test('while one of several files cannot be read, none of them is sent', async () => {
    const paths = ['prices.txt', 'gone.txt'].map((name) => join(folder, name))
    for (const path of paths) writeFileSync(path, 'Roses: 3')
    await files().setInputFiles(paths)
    const [own, previews] = [page.locator('.bubble.mine'), page.locator('.previews li')]
    const before = await own.count()
    await until(async () => (await previews.count()) === 2)
    rmSync(paths[1] ?? '')
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await send.click()
    await page.locator('.composer').getByRole('alert').waitFor()
    expect(await own.count()).toBe(before)
    await previews.filter({ hasText: 'gone.txt' }).getByRole('button').click()
    await send.click()
    await until(async () => (await previews.count()) === 0)
    await until(async () => (await readInbox()).at(-1)?.type === 'document')
    expect((await readInbox()).filter(({ type }) => type === 'document')).toHaveLength(1)
    // A browser reports no change where the same file is chosen again.
    expect(await files().inputValue()).toBe('')
  })

  test('no page caused an error in the browser', () => {
    expect(guest.complaints).toEqual([])
  })
})
