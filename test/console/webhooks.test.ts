// Several webhooks of an instance in the console: added, changed, mended, looked at in the deliveries, and deleted, by clicks.
// @module-tag slow

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { borrowScene, type Scene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { expectDiscreet, inBrowser, noBrowser, type Visit, visitPage } from './browser.ts'
import { checkPage, signIn } from './page-check.ts'

const HEADER_VALUE = 'Bearer 7c1d0f'

describe.skipIf(noBrowser)(inBrowser, () => {
  let other: Receiver
  let scene: Scene
  let guest: Visit
  let page: Page
  let friend = ''
  let group = ''
  let secret = ''

  beforeAll(async () => {
    other = await startReceiver()
    scene = await borrowScene()
    const { device, world } = scene
    friend = await createPhone(world, 'Anna')
    group = (await device.caller.post('/group/create', { name: 'Regulars', participants: [friend] })).body.JID
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
  })

  afterAll(async () => {
    await guest?.close()
    await other?.close()
  })

  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const openTab = (name: string) => page.locator('.subnav').getByRole('link', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')
  const findRow = (receiver: Receiver) => page.locator('.webhook-row').filter({ hasText: receiver.place })
  const openWebhook = async (receiver: Receiver) => {
    await openTab('Webhooks')
    await findRow(receiver).click()
    await page.locator(`.webhook-row[aria-current]`).filter({ hasText: receiver.place }).waitFor()
  }
  const listWebhooks = async (): Promise<Seen[]> =>
    (await scene.device.caller.get('/v1/webhooks')).body.webhooks
  const readOther = async (): Promise<Seen> => (await listWebhooks()).find(({ first }) => !first)
  const write = (text: string, to = scene.device.number) =>
    scene.world.sim('POST', '/messages', { from: friend, to, text })
  const waitForText = (receiver: Receiver, text: string) =>
    receiver.waitForDelivery((envelope) => (envelope.message as Seen)?.text === text)
  const countDeliveries = (receiver: Receiver, eventId: string) =>
    receiver.deliveries.filter(({ envelope }) => envelope.eventId === eventId).length

  test('a webhook is added for groups, with a header and a secret, and only events of groups go there', async () => {
    await openTab('Webhooks')
    await page.getByRole('link', { name: 'Add a webhook' }).click()
    await page.getByRole('textbox', { name: 'Address' }).fill(other.url)
    await page.getByRole('radio', { name: 'Only some' }).check()
    expect(await page.getByRole('button', { name: 'Add a webhook' }).isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'All groups' }).check()
    await clickButton('Add a header')
    await page.getByLabel('Name 1').fill('authorization')
    await page.getByLabel('Value 1').fill(HEADER_VALUE)
    await clickButton('Create a secret')
    secret = (await page.locator('.secret code').textContent()) ?? ''
    // A box that the edge of the view cuts counts as a smaller one.
    await page.evaluate('scrollTo(0, 0)')
    await checkPage(page)
    await clickButton('Add a webhook')
    await findRow(other).waitFor()
    expect(await readOther()).toMatchObject({
      url: other.url,
      chats: ['groups'],
      headerNames: ['authorization'],
      hasSecret: true,
    })
    await write('For one')
    await write('For all', group)
    const delivery = await waitForText(other, 'For all')
    verifyDelivery(delivery, secret)
    expect(delivery.headers.authorization).toBe(HEADER_VALUE)
    await waitForText(scene.receiver, 'For one')
    expect(other.deliveries.map(({ body }) => body).filter((body) => body.includes('For one'))).toEqual([])
  })

  test('the list says of each in words how it is, and of what it gets', async () => {
    await openTab('Device')
    await openTab('Webhooks')
    await findRow(other).getByText('Delivery works').waitFor()
    await findRow(other).getByText('every event · groups · 1 own header').waitFor()
    await findRow(scene.receiver).getByText('first · every event').waitFor()
    await checkPage(page)
  })

  test('an event that waits until the instance asks for its past stays chosen, and can be left out', async () => {
    await openWebhook(other)
    const history = page.getByRole('checkbox', { name: /^history/ })
    const readIgnored = async () => `${(await readOther()).ignoredEvents}`
    expect(await readIgnored()).toBe('history')
    expect(await history.isChecked()).toBe(true)
    await page.getByText(/^From the next event on, every event/).waitFor()
    await history.uncheck()
    await clickButton('Save')
    await until(async () => (await readIgnored()) === '')
    await history.check()
    await clickButton('Save')
    await until(async () => (await readIgnored()) === 'history')
  })

  test('the name of a header is shown and its value never; it stays when something else is saved', async () => {
    await openWebhook(other)
    await page.getByText('authorization', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: /^call/ }).uncheck()
    await page.getByRole('checkbox', { name: 'All people' }).check()
    await clickButton('Save')
    await until(async () => `${(await readOther()).chats}` === 'people,groups')
    expect((await readOther()).events).not.toContain('call')
    expect(await page.content()).not.toContain(HEADER_VALUE)
    await write('To people too')
    expect((await waitForText(other, 'To people too')).headers.authorization).toBe(HEADER_VALUE)
  })

  test('headers that are written anew replace all', async () => {
    await clickButton('Write them anew')
    expect(await page.getByLabel('Name 1').inputValue()).toBe('authorization')
    expect(await page.getByLabel('Value 1').inputValue()).toBe('')
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await checkPage(page)
    await clickButton('Remove the header authorization')
    await clickButton('Add a header')
    await page.getByLabel('Name 1').fill('x-team')
    await page.getByLabel('Value 1').fill('sales')
    await clickButton('Save')
    await until(async () => `${(await readOther()).headerNames}` === 'x-team')
    await page.getByText('x-team', { exact: true }).waitFor()
  })

  test('an address with another port says that secret and headers stay behind, another path does not', async () => {
    const address = page.getByRole('textbox', { name: 'Address' })
    const warnings = [
      /^The secret belongs to the address/,
      /^They belong to the address/,
      /will not be signed/,
    ]
    await address.fill(scene.receiver.url)
    for (const warning of warnings) await page.getByText(warning).waitFor()
    await checkPage(page)
    await address.fill(`${other.url}/more`)
    for (const warning of warnings) await page.getByText(warning).waitFor({ state: 'detached' })
    await address.fill(other.url)
  })

  test('a test goes to the address of this webhook alone', async () => {
    const before = scene.receiver.deliveries.length
    await clickButton('Send a test')
    await page.getByText(/The receiver responded with 204/).waitFor()
    expect(other.deliveries.at(-1)?.envelope.EventType).toBe('test')
    expect(scene.receiver.deliveries.slice(before).map(({ envelope }) => envelope.EventType)).toEqual([])
  })

  test('a 410 at one of two is named in the header of the instance, which leads to it, and is resumed there', async () => {
    await openTab('Device')
    other.status = 410
    await write('Nobody wants it')
    await page.getByRole('link', { name: 'Delivery stopped: 1 of 2 webhooks' }).click()
    await page
      .locator('.banner')
      .getByText(/Stopped since/)
      .waitFor()
    expect(page.url()).toContain(`webhook=${(await readOther()).id}`)
    await page
      .locator('.webhook-row[aria-current]')
      .getByText(/Stopped since .*1 event is dead/)
      .waitFor()
    await checkPage(page)
    other.status = 204
    await clickButton('Resume')
    await page
      .locator('.banner')
      .getByText(/Stopped since/)
      .waitFor({ state: 'detached' })
    expect((await readOther()).deliveryStatus.paused).toBe('')
  })

  test('what failed there is listed, and leads to the event with its outcome at each webhook', async () => {
    await page.locator('.failures a').first().click()
    await dialog().getByText('At each webhook').waitFor()
    const rows = dialog().locator('.attempts').first().locator('li')
    await rows.filter({ hasText: scene.receiver.place }).getByText('Delivered').waitFor()
    await rows.filter({ hasText: other.place }).getByText('Dead').waitFor()
    await checkPage(page)
  })

  test('the event is delivered again to one of them, and not to the others', async () => {
    const eventId = new URL(page.url().replace('#/', '')).searchParams.get('event') ?? ''
    const before = countDeliveries(scene.receiver, eventId)
    await dialog()
      .getByRole('button', { name: `Deliver it again: ${other.place}` })
      .click()
    await until(() => countDeliveries(other, eventId) === 2)
    await dialog().locator('.attempts').first().getByText('Dead').waitFor({ state: 'detached' })
    expect(countDeliveries(scene.receiver, eventId)).toBe(before)
    await dialog().getByRole('button', { name: 'Close' }).click()
  })

  test('the deliveries of one webhook are those for it, by their outcome there, and the choice stands in the address', async () => {
    other.status = 500
    await write('Refused there')
    await page.locator('.delivery-row').filter({ hasText: '500' }).first().waitFor()
    const shown = await page.locator('.delivery-row').count()
    await page.getByRole('button', { name: 'Waiting', exact: true }).click()
    await until(async () => (await page.locator('.delivery-row').count()) === 1)
    await page.reload()
    await signIn(page, scene.device.token)
    await page.locator('.delivery-row').filter({ hasText: '500' }).waitFor()
    expect(await page.locator('.delivery-row').count()).toBe(1)
    await checkPage(page)
    await page.getByRole('button', { name: 'Waiting', exact: true }).click()
    await page.getByLabel('Webhook', { exact: true }).selectOption('')
    await until(async () => (await page.locator('.delivery-row').count()) > shown)
    await page.locator('.dots').first().waitFor()
    await page.locator('.banner').getByText(`${other.place}: Delivery fails since`).waitFor()
    await checkPage(page)
  })

  test('a replay goes to the webhook that is chosen', async () => {
    other.status = 204
    // What was refused before would be delivered at any time.
    const { id: webhookId } = await readOther()
    await scene.device.caller.post('/v1/events/replay', { webhookId, fromSeq: 1 })
    await until(async () => (await readOther()).deliveryStatus.pending === 0)
    const before = scene.receiver.deliveries.length
    const { events } = (await scene.device.caller.get('/v1/events?limit=200')).body
    const replayed: string[] = events
      .filter(({ deliveries }: Seen) => deliveries.some(({ status }: Seen) => status === 'delivered'))
      .map(({ id }: Seen) => id)
    const counts = replayed.map((id) => countDeliveries(other, id))
    await clickButton('Replay…')
    await dialog().getByLabel('To which webhook').selectOption({ label: other.place })
    await dialog().getByRole('radio', { name: 'Delivered' }).check()
    await dialog().getByText(`${replayed.length} events would be delivered again.`).waitFor()
    await checkPage(page)
    await dialog().getByRole('button', { name: 'Replay', exact: true }).click()
    await dialog()
      .getByText(/events? (is|are) queued/)
      .waitFor()
    await until(() => replayed.every((id, index) => countDeliveries(other, id) > (counts[index] ?? 0)))
    expect(scene.receiver.deliveries.length).toBe(before)
    await dialog().getByRole('button', { name: 'Close' }).click()
  })

  test('a webhook is paused and goes on, without the other', async () => {
    await openWebhook(other)
    await clickButton('Pause')
    await page.locator('.banner').getByText('Delivery is paused.').waitFor()
    await write('It waits')
    await waitForText(scene.receiver, 'It waits')
    await clickButton('Resume')
    await waitForText(other, 'It waits')
    expect((await listWebhooks()).map(({ enabled }) => enabled)).toEqual([true, true])
  })

  test('the first keeps its choices: turned off, the other gets its events all the same', async () => {
    await findRow(scene.receiver).click()
    await page.getByRole('radio', { name: /^Nowhere/ }).check()
    await page.getByText('The other webhooks get their events all the same.').waitFor()
    await clickButton('Turn delivery off')
    await page.locator('.webhook-row').getByText('Nowhere').waitFor()
    await checkPage(page)
    await write('For the other alone')
    await waitForText(other, 'For the other alone')
    await page.getByRole('radio', { name: /^To its own address/ }).check()
    await page.getByRole('textbox', { name: 'Address' }).fill(scene.receiver.url)
    await clickButton('Save')
    await findRow(scene.receiver).waitFor()
  })

  test('five are the most, which the page says in place of the way to add one', async () => {
    for (const path of ['a', 'b', 'c'])
      await scene.device.caller.post('/v1/webhooks', { url: `${other.url}/${path}`, events: ['call'] })
    await page.getByText('This instance has five webhooks').waitFor()
    expect(await page.getByRole('link', { name: 'Add a webhook' }).count()).toBe(0)
    expect(await page.locator('.webhook-row').count()).toBe(5)
    await checkPage(page)
  })

  test('a webhook is deleted after a question', async () => {
    await page
      .locator('.webhook-row')
      .filter({ hasText: `${other.url}/b` })
      .click()
    await clickButton('Delete this webhook')
    await dialog().getByText('It gets no further event.').waitFor()
    await checkPage(page)
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect(await listWebhooks()).toHaveLength(5)
    await clickButton('Delete this webhook')
    await dialog().getByRole('button', { name: 'Delete this webhook' }).click()
    await until(async () => (await page.locator('.webhook-row').count()) === 4)
    expect((await listWebhooks()).map(({ url }) => url)).not.toContain(`${other.url}/b`)
  })

  test('no address, and no request elsewhere, has had the token', () => {
    expectDiscreet(guest, scene.world.run.baseUrl, [scene.device.token])
  })
})
