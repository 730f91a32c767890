// The people of an instance's account in the console: its contacts, its labels and whom it blocks, by clicks.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { expectDiscreet, inBrowser, noBrowser, type Visit, visitPage } from './browser.ts'
import { checkPage, signIn } from './page-check.ts'

/** As an input of a date and time takes it. */
const formatLocal = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let device: LinkedDevice
  let guest: Visit
  let page: Page
  let anna = ''
  let bert = ''
  const secrets: string[] = []

  beforeAll(async () => {
    world = await startWorld()
    secrets.push(readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    anna = await createPhone(world, 'Anna')
    bert = await createPhone(world, 'Bert')
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, secrets[0] ?? '')
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  const toAddress = (tab: string, id = device.id) => `${world.run.baseUrl}/console#/instances/${id}/${tab}`
  const openTab = (name: string) => page.locator('.subnav').getByRole('link', { name, exact: true }).click()
  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
  const waitForClosed = () => until(async () => (await dialog().count()) === 0)
  const findRow = (text: string | RegExp) => page.locator('tbody tr').filter({ hasText: text })
  const readSettings = (): Promise<Seen> => world.sim('GET', `/phones/${device.number}/settings`)
  const readProfile = (): Promise<Seen> => world.sim('GET', `/phones/${device.number}/profile`)

  describe('contacts', () => {
    test('an empty address book says what fills it', async () => {
      await page.goto(toAddress('contacts'))
      await page.getByText('No contact yet').waitFor()
      await checkPage(page)
    })

    test('a contact is added on the phone too, and found without its accents and by its number', async () => {
      await clickButton('Add a contact')
      await dialog().getByLabel('Number').fill(`+${anna}`)
      await dialog().getByLabel('Name').fill('Ánna Souza')
      await checkPage(page)
      await inDialog('Add a contact')
      await findRow('Ánna Souza').waitFor()
      const { contacts } = await readSettings()
      expect(contacts).toContainEqual(expect.objectContaining({ name: 'Ánna Souza' }))
      await device.caller.post('/contact/add', { number: bert, name: 'Bert' })
      await page.reload()
      await signIn(page, secrets[0] ?? '')
      await until(async () => (await page.locator('tbody tr').count()) === 2)
      for (const search of ['anna s', `+${anna.slice(0, 4)} ${anna.slice(4)}`]) {
        await page.getByRole('searchbox').fill(search)
        await until(async () => (await page.locator('tbody tr').count()) === 1)
        await findRow('Ánna Souza').waitFor()
      }
      await page.getByRole('searchbox').fill('nobody')
      await page.getByText('No contact matches.').waitFor()
      await page.getByRole('searchbox').fill('')
      await checkPage(page)
    })

    test('a contact is renamed, blocked, unblocked and removed in its drawer', async () => {
      await findRow('Ánna Souza').getByRole('link').click()
      await dialog().getByLabel('Name').fill('Anna, suppliers')
      await inDialog('Rename')
      await dialog().getByRole('heading', { name: 'Anna, suppliers' }).waitFor()
      await inDialog('Block')
      await dialog().getByText('Blocked', { exact: true }).waitFor()
      await checkPage(page)
      expect((await device.caller.get('/chat/blocklist')).body.blockList).toEqual([`${anna}@s.msgnet.net`])
      await inDialog('Unblock')
      await dialog().getByRole('button', { name: 'Block', exact: true }).waitFor()
      await inDialog('Remove')
      await dialog().getByText('Remove “Anna, suppliers” from the address book?').waitFor()
      await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
      await waitForClosed()
      await until(async () => (await page.locator('tbody tr').count()) === 1)
    })

    test('numbers are checked together: with an account, without one, and no number at all', async () => {
      await clickButton('Check numbers')
      await dialog().getByLabel('Numbers').fill(`${bert}\n5511900000000\n12`)
      await inDialog('Check')
      const rows = dialog().locator('tbody tr')
      await rows
        .filter({ hasText: bert.slice(-4) })
        .getByText('Has an account')
        .waitFor()
      await rows.filter({ hasText: '+55 11 90000-0000' }).getByText('No account').waitFor()
      await rows.last().getByText('Not checked').waitFor()
      await checkPage(page)
      await inDialog('Close')
    })
  })

  test('a label is created with its colour, renamed, put on a chat, taken off and deleted', async () => {
    await openTab('Labels')
    await page.getByText('No label yet').waitFor()
    await checkPage(page)
    await clickButton('New label')
    await dialog().getByLabel('Name').fill('Customers')
    await dialog().getByRole('radio', { name: 'Colour 4', exact: true }).check()
    await checkPage(page)
    await inDialog('Create')
    await findRow('Customers').waitFor()
    await clickButton('Edit Customers')
    await dialog().getByLabel('Name').fill('Regulars')
    await inDialog('Save')
    await findRow('Regulars').waitFor()
    const { labels } = await readSettings()
    expect(labels).toContainEqual(expect.objectContaining({ name: 'Regulars', color: 3 }))
    await checkPage(page)
    await clickButton('Label a chat')
    await dialog().getByLabel('Chat', { exact: true }).fill(bert)
    await inDialog('Put it on')
    await dialog().getByText('Done.').waitFor()
    const readLabelledChats = async () => (await readSettings()).labels.flatMap(({ chats }: Seen) => chats)
    expect(await readLabelledChats()).toEqual([`${bert}@s.msgnet.net`])
    await dialog().getByRole('radio', { name: 'Take it off' }).check()
    await checkPage(page)
    await inDialog('Take it off')
    await dialog().getByText('Done.').waitFor()
    expect(await readLabelledChats()).toEqual([])
    await inDialog('Close')
    await clickButton('Delete Regulars')
    await inDialog('Delete')
    await page.getByText('No label yet').waitFor()
  })

  test('a number is blocked and unblocked in the list of the blocked', async () => {
    await openTab('Blocked')
    await page.getByText('Nobody is blocked').waitFor()
    await checkPage(page)
    await clickButton('Block a number')
    await dialog().getByLabel('Number').fill(bert)
    await inDialog('Block')
    await findRow('Bert').waitFor()
    await checkPage(page)
    await clickButton('Unblock Bert')
    await page.getByText('Nobody is blocked').waitFor()
    expect((await readProfile()).blocked ?? []).toEqual([])
  })

  test('a text is scheduled, stands in the list with its time, and is cancelled; one that is due leaves the list by itself', async () => {
    await openTab('Scheduled')
    await page.getByText('Nothing is scheduled').waitFor()
    await checkPage(page)
    await clickButton('Schedule a text')
    await dialog().getByLabel('Number').fill(bert)
    await dialog().getByLabel('Message').fill('See you at the opening')
    await dialog().getByLabel('Time').fill('2020-01-01T09:00')
    expect(await dialog().getByRole('button', { name: 'Schedule', exact: true }).isDisabled()).toBe(true)
    await dialog()
      .getByLabel('Time')
      .fill(formatLocal(Date.now() + 2 * DAY))
    await checkPage(page)
    const sendAt = new Date(Date.now() + 8 * SECOND).toISOString()
    await device.caller.post('/send/location', { number: bert, latitude: 1, longitude: 2, sendAt })
    await inDialog('Schedule')
    const row = findRow('See you at the opening')
    await row.waitFor()
    const { scheduled } = (await device.caller.get('/v1/scheduled')).body
    expect(Math.abs(Date.parse(scheduled.at(-1).scheduledFor) - Date.now() - 2 * DAY)).toBeLessThan(
      2 * MINUTE,
    )
    await findRow('Place').waitFor()
    await checkPage(page)
    await until(async () => (await findRow('Place').count()) === 0)
    await row.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Nothing is scheduled').waitFor()
    expect((await device.caller.get('/v1/scheduled')).body.total).toBe(0)
  })

  test('no address, and no request elsewhere, has had a token', () => {
    expectDiscreet(guest, world.run.baseUrl, secrets)
  })
})
