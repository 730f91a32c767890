// The first page of an admin and the list of instances behind its figures; with thousands of instances too.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPhone } from '@msgnet/console/format-id.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { expectAccessible, inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

const IDLE_SECONDS = 20
const MAX_IDLE_BYTES = 20_000

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let receiver: Receiver
  let shop: LinkedDevice
  let guest: Visit
  let page: Page
  let friend = ''

  beforeAll(async () => {
    receiver = await startReceiver()
    world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place })
    shop = await linkDevice(world, await createDevice(world, 'Flower shop'))
    await shop.caller.post('/webhook', { url: receiver.url, events: 'all' })
    friend = await createPhone(world, 'Bruno')
    await createDevice(world, 'Padaria São João')
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signInAsAdmin(page)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
    await receiver?.close()
  })

  const signInAsAdmin = (tab: Page) =>
    signIn(tab, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
  const writeToShop = (text: string) =>
    world.sim('POST', '/messages', { from: friend, to: shop.number, text })
  const openPage = (name: string) => page.getByRole('link', { name, exact: true }).click()
  const findRows = () => page.locator('tbody tr')
  const listNames = (tab = page) => tab.locator('tbody .row-link .two > :first-child').allTextContents()
  const findTile = (section: string, label: string) =>
    page.getByRole('region', { name: section }).getByRole('link', { name: label })

  test('a gateway without trouble says that all is well, and since when', async () => {
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByText('All is well.').waitFor()
    await page.getByText('No dead event in the last 24 hours.').waitFor()
    await writeToShop('Are there roses?')
    await until(async () =>
      /^Delivered[1-9]/.test((await findTile('Events', 'Delivered').textContent()) ?? ''),
    )
    await page.getByText('Show as a table').click()
    expect(await page.locator('.figures tbody tr').count()).toBe(24)
    await expectAccessible(page)
  })

  test('a receiver that wants no more stands first, and leads to the instance with the cause', async () => {
    receiver.status = 410
    await writeToShop('And tulips?')
    await page.getByRole('link', { name: /Webhook stopped/ }).click()
    await page.getByRole('button', { name: 'Stopped', pressed: true }).waitFor()
    await until(async () => `${await listNames()}` === 'Flower shop')
    await findRows()
      .getByText(/^410 · since \d/)
      .waitFor()
    await expectAccessible(page)
    await openPage('Overview')
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await expectAccessible(page)
  })

  test('a device that its phone removed is listed with its number and the reason', async () => {
    await world.sim('POST', `/phones/${shop.number}/unlink`, {})
    await page
      .getByRole('link', { name: /Logged out by the phone/ })
      .first()
      .click()
    await findRows().getByText(formatPhone(shop.number)).waitFor()
    await findRows()
      .getByText(/Logged out by the phone · since \d/)
      .waitFor()
    expect(await listNames()).toEqual(['Flower shop'])
    await openPage('Overview')
    await findTile('Instances', 'Disconnected').click()
    await until(async () => (await findRows().count()) === 2)
  })

  test('search finds a name without its accents and a number in any spelling', async () => {
    await openPage('Instances')
    await page.getByLabel('Search').fill('sao joao')
    await until(async () => `${await listNames()}` === 'Padaria São João')
    const { number } = shop
    await page.getByLabel('Search').fill(`+${number.slice(0, 2)} (${number.slice(2, 4)}) ${number.slice(4)}`)
    await until(async () => `${await listNames()}` === 'Flower shop')
    await page.getByLabel('Search').fill('nothing has this name')
    await page.getByText('No instance matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await until(async () => (await findRows().count()) === 2)
  })

  test('filters and order stand in the address: back, reload and a second tab show the same', async () => {
    await page.getByRole('button', { name: /^Disconnected/ }).click()
    await page.getByRole('button', { name: 'Name' }).click()
    await until(async () => `${await listNames()}` === 'Padaria São João,Flower shop')
    expect(page.url()).toMatch(/#\/instances\?state=disconnected&sort=-name$/)
    await page.reload()
    await signInAsAdmin(page)
    await until(async () => `${await listNames()}` === 'Padaria São João,Flower shop')
    await page.getByRole('button', { name: 'Disconnected', pressed: true }).waitFor()
    const second = await page.context().newPage()
    await second.goto(page.url())
    await signInAsAdmin(second)
    await until(async () => `${await listNames(second)}` === 'Padaria São João,Flower shop')
    await second.close()
    await page.goBack()
    await until(async () => `${await listNames()}` === 'Flower shop,Padaria São João')
    await page.goBack()
    await page.getByRole('button', { name: 'Disconnected', pressed: false }).waitFor()
    await page.goForward()
    await page.getByRole('button', { name: 'Disconnected', pressed: true }).waitFor()
  })

  test('five thousand instances are pages of fifty, which keep their place', async () => {
    const now = Date.now()
    await world.queryDatabase(
      `insert into instances (id, kind, name, company_id, token_hash, created_at, updated_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 4999)
       select printf('00000000-0000-4000-8000-%012d', i), 'msgnet', printf('Branch %04d', i), '', printf('none-%d', i), ${now}, ${now} from n`,
    )
    await openPage('Instances')
    await page.getByText('1–50 of 5,001').waitFor()
    expect(await findRows().count()).toBe(50)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('51–100 of 5,001').waitFor()
    await until(async () => (await listNames())[0] === 'Branch 0051')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('101–150 of 5,001').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('51–100 of 5,001').waitFor()
    await page.getByLabel('Search').fill('branch 4321')
    await until(async () => `${await listNames()}` === 'Branch 4321')
    await page.getByLabel('Search').fill('')
    await page.getByText('1–50 of 5,001').waitFor()
    await expectAccessible(page)
  })

  test(`an idle page moves under 20 KB in ${IDLE_SECONDS} s`, async () => {
    const names = ['Overview', 'Instances', 'Hosts']
    const moved = await Promise.all(
      names.map(async (name) => {
        const tab = await page.context().newPage()
        await tab.goto(`${world.run.baseUrl}/console`)
        await signInAsAdmin(tab)
        return countIdleBytes(tab, () => tab.getByRole('link', { name, exact: true }).click())
      }),
    )
    for (const [index, bytes] of moved.entries()) {
      expect([names[index], bytes > 0, bytes < MAX_IDLE_BYTES || bytes]).toEqual([names[index], true, true])
    }
    expect(guest.complaints).toEqual([])
  })
})

/** What comes over the wire, heads of responses too, in the seconds after the page has its data. */
async function countIdleBytes(page: Page, open: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await open()
  await page.waitForLoadState('networkidle')
  let moved = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    moved += encodedDataLength
  })
  const end = Date.now() + IDLE_SECONDS * 1000
  await until(() => Date.now() > end, { within: IDLE_SECONDS * 1000 + 5000 })
  await session.detach()
  return moved
}
