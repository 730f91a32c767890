// The pages of an admin about the server itself: its tokens, its audit log and its limits.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, createPlainCaller } from '../caller.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import {
  expectDiscreet,
  findAccessibilityFaults,
  hasOverflow,
  inBrowser,
  noBrowser,
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
    await signIn(adminToken)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  async function signIn(token: string): Promise<void> {
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
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

  async function checkPage(): Promise<void> {
    for (const [width, colorScheme] of [
      [1360, 'light'],
      [1360, 'dark'],
      [360, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const faults = await findAccessibilityFaults(page)
      expect([width, colorScheme, faults, await hasOverflow(page)]).toEqual([width, colorScheme, [], false])
    }
    await page.setViewportSize({ width: 1360, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  }

  describe('tokens', () => {
    let firstValue = ''

    test('a server without tokens says what they are for', async () => {
      await openPage('Tokens')
      await page.getByText('There is no admin token beside that of the environment.').waitFor()
      await checkPage()
    })

    test('a new token has the chosen rights and expiry, and its value is shown once', async () => {
      await page.getByRole('button', { name: 'Create token' }).first().click()
      await dialog().getByLabel('Name').fill('Dashboard')
      await dialog().getByRole('radio', { name: '30 days' }).check()
      await checkPage()
      await dialog().getByRole('button', { name: 'Create token' }).click()
      await dialog().getByText('Copy it now.').waitFor()
      await checkPage()
      firstValue = await takeSecret()
      expect(firstValue).toMatch(/^mga_/)
      expect(await authenticate(firstValue)).toBe(200)
      await findRow('Dashboard').getByText('in 30 days').waitFor()
      const { tokens } = (await admin.get('/v1/tokens')).body
      expect(tokens).toMatchObject([{ name: 'Dashboard', scope: 'read' }])
      await checkPage()
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
      await checkPage()
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
      await dialog().getByRole('button', { name: 'Cancel' }).click()
      expect(await authenticate(value)).toBe(200)
      await clickButton('Delete Dashboard')
      await dialog().getByRole('button', { name: 'Delete' }).click()
      await page.getByText('There is no admin token beside that of the environment.').waitFor()
      expect(await authenticate(value)).toBe(401)
    })
  })

  test('an admin with fewer rights is told that they do not suffice', async () => {
    const { token } = (await admin.post('/v1/tokens', { name: 'Watcher', scope: 'read' })).body
    secrets.push(token)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(token)
    await openPage('Tokens')
    await page.getByText('Your token lacks the rights for this.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(secrets[0] ?? '')
  })

  test('no address, and no request elsewhere, has had a token', () => {
    expectDiscreet(guest, world.run.baseUrl, secrets)
  })
})
