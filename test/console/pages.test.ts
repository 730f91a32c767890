// The sessions of the console; the responses that programs get in place of pages.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import {
  expectAccessible,
  findAccessibilityFaults,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

let world: BorrowedWorld
let adminToken = ''

beforeAll(async () => {
  world = await borrowWorld()
  adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
})

afterAll(() => world.close())

const people = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('the greeting is JSON for programs and a page for browsers, which no other site may frame or change', async () => {
  const anonymous = createPlainCaller(world.run.baseUrl, {})
  const greeting = await anonymous.get('/')
  expect([greeting.status, greeting.body]).toMatchObject([200, { docs: '/docs', console: '/console' }])
  const page = await anonymous.get('/', people)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.headers.get('vary')).toContain('Accept')
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
})

test('an unknown path is 404, as JSON for programs and as a page for browsers', async () => {
  const anonymous = createPlainCaller(world.run.baseUrl, {})
  const page = await anonymous.get('/nowhere')
  expect([page.status, page.body.error]).toEqual([404, 'not_found'])
  const shown = await anonymous.get('/nowhere', people)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
  const foreign = await anonymous.get('/nowhere', { accept: 'text/html;q=0, application/json' })
  expect(foreign.body.error).toBe('not_found')
})

test.each(['constructor', '__proto__', 'toString', '%5f_proto__'])(
  'an unknown file of the console, %s, is 404',
  async (name) => {
    const { status, body } = await createPlainCaller(world.run.baseUrl, {}).get(`/console/${name}`)
    expect([status, body.error]).toEqual([404, 'not_found'])
  },
)

test('the simulation is open to the admin only', async () => {
  for (const credential of [{}, { token: 'mgi_x' }, { admintoken: 'mga_x' }])
    expect(
      (await createPlainCaller(world.run.baseUrl, credential).get('/console/laboratory/receiver')).status,
    ).toBe(401)
  const admin = createPlainCaller(world.run.baseUrl, { admintoken: adminToken })
  expect((await admin.get('/console/laboratory/receiver')).body.answer).toBe(204)
})

describe.skipIf(noBrowser)(inBrowser, () => {
  let guest: Visit
  let page: Page
  let device: LinkedDevice
  let friend = ''

  beforeAll(async () => {
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    friend = await createPhone(world, 'Bruno')
    await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'Are there roses?' })
    await device.caller.post('/group/create', { name: 'Regulars', participants: [friend] })
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
  })

  afterAll(() => guest?.close())

  const tabs = [
    ['Device', 'Linked and connected.'],
    ['Conversation', 'Choose a chat'],
    ['Groups', 'Regulars'],
    ['Webhooks', 'Where do the events of this instance go?'],
    ['Deliveries', 'Events shown here by outcome'],
  ] as const

  test('an instance’s token shows this instance, and no page of the server', async () => {
    expect(await page.getByRole('link', { name: 'Hosts' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, adminToken)
    await page.getByRole('link', { name: 'Hosts' }).waitFor()
  })

  test('the admin opens every tab of an instance without its token', async () => {
    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.getByRole('link', { name: /Flower shop/ }).click()
    for (const [name, heading] of tabs) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByText(heading).first().waitFor()
    }
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('link', { name: /Bruno/ }).click()
    await page.locator('.bubble').getByText('Are there roses?').waitFor()
  })

  test('the token of an instance is replaced after a question, and the new one is shown once', async () => {
    await page.getByRole('link', { name: 'Device', exact: true }).click()
    await page.getByRole('button', { name: 'Replace token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Programs that send the old token').waitFor()
    expect((await device.caller.get('/instance/status')).status).toBe(200)
    await dialog.getByRole('button', { name: 'Replace token' }).click()
    await dialog.getByRole('heading', { name: 'The new token' }).waitFor()
    const token = (await dialog.locator('code').textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    await expectAccessible(page)
    expect((await device.caller.get('/instance/status')).status).toBe(401)
    expect((await world.callAs(token).get('/instance/status')).status).toBe(200)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(token)
  })

  test('a token that has ended leads to the sign-in page, which says so', async () => {
    const { body } = await world.admin.post('/v1/tokens', { name: 'For a day', scope: 'operate' })
    const other = await visitPage(world.run.baseUrl, '/console')
    await signIn(other.page, body.token)
    await other.page.getByRole('heading', { name: 'Instances' }).waitFor()
    await world.admin.delete(`/v1/tokens/${body.record.id}`)
    await other.page.getByText('Your token has ended').waitFor()
    expect(await findAccessibilityFaults(other.page)).toEqual([])
    await signIn(other.page, adminToken)
    await other.page.getByRole('heading', { name: 'Instances' }).waitFor()
    await other.page.getByRole('button', { name: 'Sign out' }).click()
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await other.page.getByText('Your token has ended').count()).toBe(0)
    expect(other.complaints).toEqual([])
    await other.close()
  })

  test('a token is in the browser’s storage only if the user chose that', async () => {
    const readStorage = () => page.evaluate('JSON.stringify({...localStorage, ...sessionStorage})')
    expect(await readStorage()).toBe('{}')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, adminToken, { stay: true })
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    expect(await readStorage()).toContain(adminToken)
    await page.reload()
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await readStorage()).toBe('{}')
    expect(guest.complaints).toEqual([])
  })

  test('of five thousand instances the simulation offers those that match a search', async () => {
    const now = Date.now()
    await world.queryDatabase(
      `insert into instances (id, kind, name, company_id, token_hash, created_at, updated_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 4999)
       select printf('00000000-0000-4000-8000-%012d', i), 'msgnet', printf('Branch %04d', i), '', printf('none-%d', i), ${now}, ${now} from n`,
    )
    await signIn(page, adminToken)
    await page.getByRole('link', { name: 'Simulation', exact: true }).click()
    const offered = page.getByLabel('Instance', { exact: true }).locator('option')
    await until(async () => (await offered.count()) > 100)
    expect(await offered.count()).toBeLessThan(300)
    await page.getByLabel('Search').fill('branch 4321')
    await until(async () => (await offered.allTextContents()).includes('Branch 4321'))
    expect((await offered.allTextContents()).filter((name) => name.startsWith('Branch'))).toEqual([
      'Branch 4321',
    ])
  })
})
