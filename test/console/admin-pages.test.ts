// The pages of an admin about the server itself: its tokens, its audit log and its limits.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
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
  let world: World
  let guest: Visit
  let page: Page
  let admin: Caller
  const secrets: string[] = []

  beforeAll(async () => {
    world = await startWorld()
    const adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    secrets.push(adminToken)
    admin = createPlainCaller(world.run.baseUrl, { admintoken: adminToken })
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, adminToken)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  const openPage = (name: string) => page.getByRole('link', { name, exact: true }).click()
  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')
  const findRow = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const authenticate = async (admintoken: string) =>
    (await createPlainCaller(world.run.baseUrl, { admintoken }).get('/v1/instances')).status

  async function takeSecret(): Promise<string> {
    const secret = (await dialog().locator('.secret code').textContent()) ?? ''
    secrets.push(secret)
    await dialog().getByRole('button', { name: 'Close' }).click()
    await until(async () => (await dialog().count()) === 0)
    expect(await page.content()).not.toContain(secret)
    return secret
  }

  describe('tokens', () => {
    let firstValue = ''

    test('a server without tokens says what they are for', async () => {
      await openPage('Tokens')
      await page.getByText('There is no admin token beside that of the environment.').waitFor()
      await expectAccessible(page)
    })

    test('a new token has the chosen rights and expiry, and its value is shown once', async () => {
      await page.getByRole('button', { name: 'Create token' }).first().click()
      await dialog().getByLabel('Name').fill('Dashboard')
      await dialog().getByRole('radio', { name: '30 days' }).check()
      await expectAccessible(page)
      await dialog().getByRole('button', { name: 'Create token' }).click()
      await dialog().getByText('Copy it now.').waitFor()
      await expectAccessible(page)
      firstValue = await takeSecret()
      expect(firstValue).toMatch(/^mga_/)
      expect(await authenticate(firstValue)).toBe(200)
      await findRow('Dashboard').getByText('in 30 days').waitFor()
      const { tokens } = (await admin.get('/v1/tokens')).body
      expect(tokens).toMatchObject([{ name: 'Dashboard', scope: 'read' }])
      await expectAccessible(page)
    })

    test('a renewal keeps the old value for the chosen time, and says until when', async () => {
      await clickButton('Renew Dashboard')
      await dialog().getByRole('radio', { name: 'in an hour' }).check()
      await dialog().getByRole('button', { name: 'Renew' }).click()
      const second = await takeSecret()
      expect([await authenticate(firstValue), await authenticate(second)]).toEqual([200, 200])
      await findRow('Dashboard')
        .getByText(/The old value stops in (1 hr|60 min|59 min)/)
        .waitFor()
      await expectAccessible(page)
      await clickButton('Renew Dashboard')
      await dialog().getByRole('radio', { name: 'at once' }).check()
      await dialog().getByRole('button', { name: 'Renew' }).click()
      const third = await takeSecret()
      expect([await authenticate(second), await authenticate(third)]).toEqual([401, 200])
    })

    test('deletion names the token, and nothing ends without consent', async () => {
      const value = secrets.at(-1) ?? ''
      await clickButton('Delete Dashboard')
      await dialog().getByRole('heading', { name: 'Delete “Dashboard”?' }).waitFor()
      expect(page.url()).toContain('delete=')
      await page.goBack()
      await until(async () => (await dialog().count()) === 0)
      await page.goForward()
      await dialog().getByRole('heading', { name: 'Delete “Dashboard”?' }).waitFor()
      await dialog().getByRole('button', { name: 'Cancel' }).click()
      expect(await authenticate(value)).toBe(200)
      await clickButton('Delete Dashboard')
      await dialog().getByRole('button', { name: 'Delete' }).click()
      await page.getByText('There is no admin token beside that of the environment.').waitFor()
      expect(await authenticate(value)).toBe(401)
    })
  })

  test('an admin with fewer rights is told so in place of a refusal', async () => {
    const { token } = (await admin.post('/v1/tokens', { name: 'Watcher', scope: 'read' })).body
    secrets.push(token)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, token)
    await openPage('Tokens')
    await page.getByText('Your token may not manage tokens').waitFor()
    expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0)
    expect(await page.getByText('Your token lacks the rights for this.').count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, secrets[0] ?? '')
  })

  describe('the audit log', () => {
    const listActions = () => page.locator('tbody .two > code').filter({ hasText: '.' }).allTextContents()
    let shop = ''

    test('says who did what to which object, and leads to the instance', async () => {
      shop = (await admin.post('/instance/init', { name: 'Flower shop' })).body.instance.id
      await openPage('Audit log')
      const row = findRow('Instance created')
      await row.getByText('Environment’s token').waitFor()
      await row.getByText('Done', { exact: true }).waitFor()
      await findRow('Admin token deleted').waitFor()
      await expectAccessible(page)
      await row.getByRole('link').click()
      await page.getByRole('heading', { name: /^Flower shop/ }).waitFor()
    })

    test('an instance leads to its own entries, with those of an admin who acted for it', async () => {
      const operator = (await admin.post('/v1/tokens', { name: 'Maria', scope: 'operate' })).body.token
      secrets.push(operator)
      const acting = createPlainCaller(world.run.baseUrl, { admintoken: operator, instance: shop })
      await acting.post('/webhook', { action: 'delete' })
      await page.getByRole('link', { name: 'Audit log of this instance' }).click()
      expect(page.url()).toContain(`#/audit?object=${shop}`)
      const row = findRow('Webhook changed')
      await row.getByText('Maria').waitFor()
      expect(await row.getByText(/^acting for/).textContent()).toBe('acting for Flower shop')
      expect(await findRow('Admin token').count()).toBe(0)
    })

    test('actor, action and time narrow it, and stand in the address', async () => {
      await page.getByRole('button', { name: 'Admin token', exact: true }).click()
      await until(async () => (await page.locator('tbody tr').count()) === 1)
      await page.getByLabel('From').fill('2099-01-01T00:00')
      await page.getByText('No entry matches.').waitFor()
      await expectAccessible(page)
      await clickButton('Clear filters')
      await page.getByLabel('Action').selectOption('token.renew')
      await until(async () => `${await listActions()}` === 'token.renew,token.renew')
      await page.reload()
      await signIn(page, secrets[0] ?? '')
      await until(async () => `${await listActions()}` === 'token.renew,token.renew')
    })

    test('it is read page by page to its first entry, and back', async () => {
      await world.queryDatabase(
        `insert into audit (at, action, actor, actor_id, actor_name, acting_for, target, address, request_id, outcome)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 120)
         select ${Date.now()}, 'host.drain', 'root', '', '', '', '', '192.0.2.1', printf('request-%03d', i), 'worker_full' from n`,
      )
      await page.getByLabel('Action').selectOption('host.drain')
      await page.getByText('1–50', { exact: true }).waitFor()
      await findRow('request-120').getByText('worker_full').waitFor()
      await clickButton('Next page')
      await clickButton('Next page')
      await page.getByText('101–120', { exact: true }).waitFor()
      await findRow('request-001').waitFor()
      expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
      await clickButton('Previous page')
      await page.getByText('51–100', { exact: true }).waitFor()
      await findRow('request-070').waitFor()
    })

    test('a page that was loaded anew goes back page by page too', async () => {
      await clickButton('Next page')
      await page.getByText('101–120', { exact: true }).waitFor()
      await page.reload()
      await signIn(page, secrets[0] ?? '')
      await findRow('request-001').waitFor()
      await clickButton('Previous page')
      await page.getByText('51–100', { exact: true }).waitFor()
      await findRow('request-070').waitFor()
      await clickButton('Previous page')
      await page.getByText('1–50', { exact: true }).waitFor()
    })
  })

  describe('limits', () => {
    test('each limit of the server stands with what it bounds and its value', async () => {
      await openPage('Limits')
      await findRow('requestsPerMinute').getByText('Requests of one token in a minute').waitFor()
      const { limits } = (await admin.get('/v1/capabilities')).body
      const names = await page.locator('tbody code').allTextContents()
      expect(names.toSorted()).toEqual(Object.keys(limits).toSorted())
      await findRow('requestsPerMinute').getByText('12,000', { exact: true }).waitFor()
      await findRow('mediaBytes').getByText('105 MB').waitFor()
      await findRow('connectWaitMs').getByText('5 sec').waitFor()
      await expectAccessible(page)
    })

    test('an instance shows what the network does not let its account do, until when, and what it refused', async () => {
      const device = await linkDevice(world, await createDevice(world, 'Bakery'))
      await openPage('Instances')
      await page.getByRole('link', { name: /Bakery/ }).click()
      const card = page.locator('section', {
        has: page.getByRole('heading', { name: 'Limits by the network' }),
      })
      await until(async () => (await card.getByText('Allowed').count()) === 2)
      const end = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000)
      await world.sim('PATCH', `/phones/${device.number}/limits`, {
        timeLockUntil: end.getTime(),
        quietly: true,
      })
      const stranger = await createPhone(world)
      expect((await device.caller.post('/send/text', { number: stranger, text: 'new here' })).status).toBe(
        422,
      )
      await card.getByText('Refused', { exact: true }).waitFor()
      await card.getByText(/^until .*\d:\d\d/).waitFor()
      await card.getByText('Known chats and groups still work.').waitFor()
      await card.getByText('/send/text').waitFor()
      await expectAccessible(page)
    })
  })

  test('a token that may only read sees the deliveries of an instance, without texts and without actions', async () => {
    const reading = (await admin.post('/v1/tokens', { name: 'Support', scope: 'read' })).body.token
    secrets.push(reading)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, reading)
    const device = await linkDevice(world, await createDevice(world, 'Book shop'))
    const friend = await createPhone(world, 'Anna')
    await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'for nobody else' })
    await page.goto(`${world.run.baseUrl}/console#/instances/${device.id}/deliveries`)
    await page.locator('.delivery-row').filter({ hasText: 'messages' }).first().click()
    await dialog().getByText('webhook-id').waitFor()
    await expectAccessible(page)
    expect(
      await dialog()
        .getByRole('button', { name: /deliver/i })
        .count(),
    ).toBe(0)
    await page.keyboard.press('Escape')
    await until(async () => (await dialog().count()) === 0)
    expect(await page.getByRole('button', { name: 'Replay…' }).count()).toBe(0)
    expect(await page.content()).not.toContain('for nobody else')
    expect(await page.locator('.note.bad').count()).toBe(0)
  })

  test('no address, and no request elsewhere, has had a token', () => {
    expectDiscreet(guest, world.run.baseUrl, secrets)
  })
})
