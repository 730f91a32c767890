// An operator's walk: a receiver that wants no more, then fails, then hangs. The console names each, and everything is delivered by clicks.
// @module-tag slow

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { type Scene, type Seen, startScene } from '../scene.ts'
import { insertDeliveries } from '../stored-deliveries.ts'
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

/** From what the receiver does to the sentence on the page. */
const NAMED_WITHIN = { timeout: 10_000 }
/** More than two pages of the log. */
const MANY = 250

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page
  let friend = ''
  /** Until this is resolved the receiver hangs. */
  const hang = Promise.withResolvers<void>()

  beforeAll(async () => {
    scene = await startScene()
    friend = await createPhone(scene.world, 'Ana')
    guest = await visitPage(scene.world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, scene.device.token)
    await page.getByText('Linked and connected.').waitFor()
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
    await page.getByText('Events are delivered.').waitFor()
  })

  afterAll(async () => {
    hang.resolve()
    await guest?.close()
  })

  const receiveMessage = (text: string) =>
    scene.world.sim('POST', '/messages', { from: friend, to: scene.device.number, text })
  const readHealth = async (): Promise<Seen> =>
    (await scene.device.caller.get('/webhook')).body.deliveryStatus
  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const findRows = (text: string) => page.locator('.delivery-row').filter({ hasText: text })
  const openDrawer = (row: string) => findRows(row).first().click()
  const drawer = () => page.locator('dialog.drawer')

  test('a 410 is named with its time, in the banner and in the header, and the webhook page says so too', async () => {
    scene.receiver.status = 410
    await receiveMessage('refused for good')
    await page.getByText(/^Stopped since .*: the receiver responded with 410\.$/).waitFor(NAMED_WITHIN)
    await page.getByRole('link', { name: 'Delivery stopped' }).waitFor()
    await receiveMessage('waits')
    await page.getByText(/1 event waits\. 1 event is dead\./).waitFor(NAMED_WITHIN)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByText(/Stopped since/).waitFor()
    expect(await page.getByText('Events are delivered.').count()).toBe(0)
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  })

  test('a replay counts before, and says that nothing is sent while delivery rests', async () => {
    await clickButton('Replay…')
    await page.getByText('1 event would be delivered again.').waitFor()
    await page.getByText('Delivery is paused: a replay queues events').waitFor()
    await page.getByText('All in the range').click()
    const [from, to] = ['From', 'To'].map((name) =>
      page.getByRole('dialog').getByLabel(name, { exact: true }),
    )
    await to?.fill('2020-01-02T00:00')
    await page.getByText('0 events would be delivered again.').waitFor()
    await to?.fill('')
    await from?.fill('2020-01-01T00:00')
    await page.getByText(/[1-9]\d* events would be delivered again\./).waitFor()
    await expectAccessible(page)
    await clickButton('Cancel')
  })

  test('a webhook that is saved again goes on, and a 500 is named', async () => {
    scene.receiver.status = 500
    scene.receiver.words = 'out of order'
    await clickButton('Resume')
    await page.getByText(/^Delivery fails since .*: the receiver responds with 500\.$/).waitFor(NAMED_WITHIN)
    await page.getByRole('link', { name: 'Delivery failing' }).waitFor()
  })

  test('the drawer shows the attempts with what the receiver answered, and the posted envelope, and it stays true', async () => {
    await openDrawer('500')
    await drawer().getByText('Attempt 1', { exact: true }).waitFor()
    await drawer().getByText('out of order').waitFor()
    await drawer().getByText('"text": "waits"').first().waitFor()
    expect(page.url()).toContain('event=')
    await expectAccessible(page)
    await drawer().getByRole('button', { name: 'Deliver now' }).click()
    await drawer().getByText('Attempt 2', { exact: true }).waitFor(NAMED_WITHIN)
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('event=')
  })

  test('a receiver that hangs is named while it hangs, and after its time', async () => {
    // Each of them: after the third failed attempt the courier goes on with the next event.
    scene.receiver.released = hang.promise
    await clickButton('Deliver now')
    await page.getByText(/^No response since .*does not answer\.$/).waitFor(NAMED_WITHIN)
    await page.getByRole('link', { name: 'Receiver does not respond' }).waitFor()
    await page
      .getByText(/^Delivery fails since .*: the receiver does not respond within 15 s\.$/)
      .waitFor({ timeout: 25_000 })
  })

  test('by clicks alone everything is delivered in the end', async () => {
    scene.receiver.status = 204
    scene.receiver.words = ''
    hang.resolve()
    await clickButton('Deliver now')
    await page.getByText('Delivery works, but 1 event was not delivered.').waitFor(NAMED_WITHIN)
    await clickButton('Replay dead events')
    await page.getByText('1 event would be delivered again.').waitFor()
    await clickButton('Replay')
    await page.getByText('1 event is queued.').waitFor()
    await clickButton('Close')
    await page.getByText('Events are delivered.').waitFor(NAMED_WITHIN)
    await page.getByRole('link', { name: 'Delivery works' }).waitFor()
    expect(await readHealth()).toMatchObject({ pending: 0, dead: 0, cause: '' })
    const texts = scene.receiver.deliveries.map(({ envelope }: Seen) => envelope.message?.text)
    expect(texts).toEqual(expect.arrayContaining(['refused for good', 'waits']))
    const { events } = (await scene.device.caller.get('/v1/events?limit=200')).body
    expect(events.filter(({ status, unaddressed }: Seen) => status !== 'delivered' || unaddressed)).toEqual(
      [],
    )
  })

  test('an event for no webhook is not called delivered, and has its own filter, which stays in the address', async () => {
    await scene.device.caller.post('/webhook', { url: scene.receiver.url, events: ['connection'] })
    await receiveMessage('to nobody')
    await findRows('No receiver').first().waitFor(NAMED_WITHIN)
    await clickButton('No receiver')
    await until(async () => (await findRows('Delivered').count()) === 0)
    await page.reload()
    await signIn(page, scene.device.token)
    await findRows('No receiver').first().waitFor()
    expect(await findRows('Delivered').count()).toBe(0)
    await openDrawer('No receiver')
    await drawer().getByText('No attempt was made.').waitFor()
    await drawer().getByRole('button', { name: 'Deliver it again' }).click()
    await drawer().getByText('the present webhook does not take this event').waitFor()
    await page.keyboard.press('Escape')
    await clickButton('No receiver')
    await findRows('Delivered').first().waitFor()
  })

  test('the log reaches the first of many events, shows new ones, and filters by type, time and message', async () => {
    const { id } = scene.device
    await scene.world.queryDatabase(
      `update events set seq = seq + ${MANY} where instance_id = '${id}' and seq > 0`,
    )
    await scene.world.queryDatabase(`
      insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, messageid)
      with recursive made(n) as (select 1 union all select n + 1 from made where n < ${MANY})
      select printf('00000000-0000-4000-8000-%012d', n), '${id}', n, 'groups', '', '{}', n, ${Date.UTC(2026, 0, 1)} + n,
        'delivered', 'MADE' || n from made`)
    // They refer to their deliveries by number.
    await scene.world.queryDatabase(
      `delete from delivery_attempts where lane in (select lane from webhooks where instance_id = '${id}')`,
    )
    await scene.world.queryDatabase(
      `update deliveries set seq = seq + ${MANY} where lane in (select lane from webhooks where instance_id = '${id}')`,
    )
    await scene.world.queryDatabase(
      insertDeliveries(`e.instance_id = '${id}' and e.seq <= ${MANY}`, {
        status: "'delivered'",
        last_attempt_at: 1,
      }),
    )
    await scene.world.queryDatabase(
      `update webhooks set cursor = cursor + ${MANY} where instance_id = '${id}'`,
    )
    await scene.world.queryDatabase(`update instances set last_seq = last_seq + ${MANY} where id = '${id}'`)
    await page.reload()
    await signIn(page, scene.device.token)
    const scrollToEnd = () => page.locator('.scroller').evaluate((element) => element.scrollTo(0, 1e9))
    const ending = page.getByText(/All \d+ events are shown\./)
    await findRows('Delivered').first().waitFor()
    await until(async () => {
      await scrollToEnd()
      return (await ending.count()) > 0 && (await findRows('MADE1').count()) > 0
    })
    const readCount = async () => Number(/\d+/.exec((await ending.textContent()) ?? '')?.[0])
    const before = await readCount()
    expect(before).toBeGreaterThan(MANY)
    await receiveMessage('new while reading')
    await until(async () => (await readCount()) > before)
    // What is read stays where it is.
    expect(await findRows('MADE1').last().isVisible()).toBe(true)
    await page.getByLabel('Type').selectOption('groups')
    await until(async () => (await findRows('messages').count()) === 0)
    await page.getByLabel('Message id').fill('MADE77')
    await page.getByText('The only event is shown.').waitFor()
    expect(page.url()).toContain('type=groups')
    expect(page.url()).toContain('messageid=MADE77')
    await page.getByLabel('Time', { exact: true }).selectOption('hour')
    await page.getByText('No event matches these filters.').waitFor()
    await expectAccessible(page)
    await clickButton('Clear filters')
    await findRows('messages').first().waitFor()
    await page.goBack()
    await page.getByText('No event matches these filters.').waitFor()
  })

  test('no page caused an error in the browser', () => {
    expectDiscreet(guest, scene.world.run.baseUrl, [scene.device.token])
  })
})
