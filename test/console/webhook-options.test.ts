// The console at a gateway whose callers use the form of the API family: what it saves leaves alone what it does not show.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let receiver: Receiver
  let shop: Caller
  let admin: Caller
  let device: LinkedDevice
  let guest: Visit
  let page: Page

  beforeAll(async () => {
    receiver = await startReceiver()
    world = await borrowWorld({ COMPATIBILITY: 'uazapi' })
    const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    admin = createPlainCaller(world.run.baseUrl, { admintoken })
    const { instance, token } = (await admin.post('/instance/init', { name: 'Flower shop' })).body
    shop = createPlainCaller(world.run.baseUrl, { token })
    device = await linkDevice(world, { id: instance.id, token, caller: shop })
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, admintoken)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
    await receiver?.close()
  })

  const openTab = async (tab: string) => {
    await page.goto(`${world.run.baseUrl}/console#/instances/${device.id}/${tab}`)
    await page.locator('.subnav').waitFor()
  }
  /** As these callers save it: with words and options that the form of the contract does not have. */
  const saveWebhook = async () => {
    const path = { addUrlEvents: true, addUrlTypesMessages: true }
    const events = ['messages', 'connection', 'blocks']
    const saved = await shop.post('/webhook', { action: 'add', url: receiver.url, events, ...path })
    expect(saved.status, saved.text).toBe(200)
    return saved.body[0]
  }
  const readIgnored = async () => {
    const asContract = createPlainCaller(world.run.baseUrl, {
      token: device.token,
      accept: 'application/json;profile=contract',
    })
    return (await asContract.get('/webhook')).body.ignoredEvents
  }

  test('“Resume” changes nothing of a webhook with parts behind its path', async () => {
    const saved = await saveWebhook()
    const ignored = await readIgnored()
    receiver.status = 410
    const friend = await createPhone(world, 'Anna')
    await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'lost' })
    await openTab('webhook')
    await page.getByText(/Stopped since/).waitFor()
    receiver.status = 200
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(/Stopped since/).waitFor({ state: 'detached' })
    expect((await shop.get('/webhook')).body).toEqual([saved])
    expect(await readIgnored()).toEqual(ignored)
  })

  test('the form of the webhook leaves them alone too', async () => {
    const saved = (await shop.get('/webhook')).body[0]
    const ignored = await readIgnored()
    await page.getByText('Leave out some messages').click()
    await page.getByRole('checkbox', { name: 'messages in groups' }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const changed = await until(async () => {
      const [webhook] = (await shop.get('/webhook')).body
      return webhook.excludeMessages.length > 0 && webhook
    })
    expect({ ...changed, excludeMessages: saved.excludeMessages }).toEqual(saved)
    expect(await readIgnored()).toEqual(ignored)
  })

  test('a caller of the family removes the parts by leaving them out', async () => {
    const { body } = await shop.post('/webhook', { url: receiver.url, events: ['messages'] })
    expect(body).toMatchObject([{ addUrlEvents: false, addUrlTypesMessages: false }])
  })

  test('the server’s webhook is saved in the console with the parts that it has', async () => {
    const webhook = { enabled: true, url: receiver.url, events: ['messages'], addUrlEvents: true }
    await admin.post('/globalwebhook', webhook)
    await page.goto(`${world.run.baseUrl}/console#/webhook`)
    await page.getByRole('checkbox', { name: /^Deliver events/ }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = await until(async () => {
      const { body } = await admin.get('/globalwebhook')
      return !body.enabled && body
    })
    expect(saved).toMatchObject({ url: receiver.url, addUrlEvents: true })
  })

  test.each([
    ['device', 'Linked and connected.'],
    ['chats', /Anna/],
    ['contacts', /Anna|contact/i],
    ['deliveries', 'Replay…'],
    ['profile', 'Picture'],
    ['privacy', /seen/i],
    ['proxy', 'No proxy: the host connects directly.'],
  ])('the page %s shows its content', async (tab, content) => {
    await openTab(tab)
    await page.getByText(content).first().waitFor()
    expect(await page.locator('.note.bad').count()).toBe(0)
    expect(guest.complaints).toEqual([])
  })
})
