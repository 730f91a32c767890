// A walk through the console from the greeting to a linked phone, as somebody takes it who came for the first time.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePhone } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { expectDiscreet, inBrowser, noBrowser, type Visit, visit } from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let guest: Visit
  let adminToken = ''
  let token = ''

  beforeAll(async () => {
    world = await startWorld()
    adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    guest = await visit(world.run.baseUrl, '/')
  })

  afterAll(async () => {
    await guest?.close()
    await world.close()
  })

  test('the greeting says what this is and that it is well, and leads to the console', async () => {
    const { page } = guest
    await page.getByText('Ready: the server and its database answer.').waitFor()
    await page.getByRole('link', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('a wrong token is told in words, the admin token opens the list', async () => {
    const { page } = guest
    await page.getByLabel('Token').fill(`mga_${'x'.repeat(43)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Nobody has this token').waitFor()
    await page.getByLabel('Token').fill(adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No instance yet.').waitFor()
  })

  test('an instance is made, its token told this once, with a copy', async () => {
    const { page } = guest
    await page.getByRole('button', { name: 'New instance' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Flower shop')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('shown this once').waitFor()
    token = (await page.locator('dialog code').textContent()) ?? ''
    expect(token).toMatch(/^mgi_[\w-]{43}$/)
    await page.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: 'Flower shop' }).waitFor()
  })

  test('the QR code counts down, and once it is scanned the page says so by itself', async () => {
    const { page } = guest
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await page.getByAltText('QR code to link a phone').waitFor()
    await page.getByText(/A new code in \d+ s/).waitFor()
    const number = await makePhone(world, 'Ana')
    const { body } = await world.as(token).get('/instance/status')
    await world.sim('POST', `/phones/${number}/scan`, { qr: body.pairing.qr })
    await page.getByText('Linked and connected.').waitFor()
    await page.getByText(`+${number}`).waitFor()
  })

  test('nothing left the origin, and the tokens are in no address, history or storage', async () => {
    const { page } = guest
    expectDiscreet(guest, world.run.baseUrl, [adminToken, token])
    const kept = await page.evaluate(
      'JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}, document.cookie])',
    )
    expect(kept).not.toContain(adminToken)
    expect(kept).not.toContain(token)
    expect(readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')).not.toContain(token)
  })

  test('what is to be deleted has to be named', async () => {
    const { page } = guest
    await page.getByRole('button', { name: 'Delete' }).click()
    const sure = page.getByRole('button', { name: 'Delete for good' })
    expect(await sure.isDisabled()).toBe(true)
    await page.getByLabel('Type “Flower shop” to delete it').fill('Flower shop')
    await sure.click()
    await page.getByText('No instance yet.').waitFor()
    await until(async () => (await world.as(token).get('/instance/status')).status === 401)
  })
})
