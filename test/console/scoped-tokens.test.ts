// The scoped tokens of an instance in the console: created for some chats, shown once, listed with what they may do, and ended.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { borrowScene, type Scene } from '../scene.ts'
import { until } from '../until.ts'
import { expectDiscreet, inBrowser, noBrowser, type Visit, visitPage } from './browser.ts'
import { checkPage, signIn } from './page-check.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page

  beforeAll(async () => {
    scene = await borrowScene()
    guest = await visitPage(scene.world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, scene.device.token)
    await page.getByRole('heading', { name: 'Scoped tokens' }).waitFor()
  })

  afterAll(() => guest?.close())

  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const inDialog = (name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const readStatus = async (token: string, path: string) => (await scene.world.callAs(token).get(path)).status

  test('one is created for some chats and a time, shown once, listed, and refused once it is deleted', async () => {
    await clickButton('Create token')
    await page.getByLabel('Name').fill('Agent')
    await page.getByLabel('Read and send').check()
    await page.getByLabel('Only in these chats').fill('+55 11 98765-4321, groups')
    await page.getByLabel('90 days').check()
    await checkPage(page)
    await inDialog('Create token')
    const token = (await page.locator('.secret code').textContent()) ?? ''
    expect(token).toMatch(/^mgs_/)
    await inDialog('Close')
    await page.getByText('Read and send · +55 11 98765-4321, All groups · Expires: in 90 days').waitFor()
    expect(await page.locator('body').textContent()).not.toContain(token)
    expect(await readStatus(token, '/v1/events')).toBe(200)
    expect(await readStatus(token, '/webhook')).toBe(403)
    await checkPage(page)

    await clickButton('Delete Agent')
    await page.getByRole('heading', { name: 'Delete “Agent”?' }).waitFor()
    await inDialog('Delete')
    await until(async () => (await page.getByText('Read and send').count()) === 0)
    expect(await readStatus(token, '/v1/events')).toBe(401)
    expectDiscreet(guest, scene.world.run.baseUrl, [token, scene.device.token])
  })

  test('who is signed in with a scoped token is offered no others', async () => {
    const { token } = (await scene.device.caller.post('/instance/tokens', { name: 'All', scope: 'full' }))
      .body
    const other = await visitPage(scene.world.run.baseUrl, '/console')
    await signIn(other.page, token)
    await other.page.getByRole('heading', { name: 'Limits by the network' }).waitFor()
    expect(await other.page.getByRole('heading', { name: 'Scoped tokens' }).count()).toBe(0)
    await other.close()
  })
})
