// A first visit to the console, from the greeting to a linked phone.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPhone } from '@msgnet/console/format-id.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPhone } from '../device.ts'
import { until } from '../until.ts'
import { expectDiscreet, inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

/** In the browser: chooses Edit, writes into the field in the next turn, and returns its text two frames later. */
const editAndTypeAtOnce = (text: string) => `(async () => {
  const button = [...document.querySelectorAll('.menu button')].find((one) => one.textContent === 'Edit')
  button.click()
  for (let turn = 0; turn < 5; turn++) await undefined
  const field = document.querySelector('textarea')
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, ${JSON.stringify(text)})
  field.dispatchEvent(new Event('input', { bubbles: true }))
  for (let frame = 0; frame < 2; frame++) await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
  return field.value
})()`

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let guest: Visit
  let adminToken = ''
  let token = ''

  beforeAll(async () => {
    world = await borrowWorld()
    adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    guest = await visitPage(world.run.baseUrl, '/')
  })

  afterAll(async () => {
    await guest?.close()
    await world.close()
  })

  test('the greeting shows that the gateway is ready, and links to the console', async () => {
    const { page } = guest
    await page.getByText('Ready: the server and its database respond.').waitFor()
    await page.getByRole('link', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('an unknown token is refused with a sentence, and the admin token opens the overview', async () => {
    const { page } = guest
    await page.getByLabel('Token').fill(`mga_${'x'.repeat(43)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This token is unknown').waitFor()
    await signIn(page, adminToken)
    await page.getByRole('link', { name: 'Create the first one' }).click()
    await page.getByText('No instance yet.').waitFor()
  })

  test('a new instance shows its token once, with a button that copies it', async () => {
    const { page } = guest
    await page.getByRole('button', { name: 'New instance' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Flower shop')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('shown only once').waitFor()
    token = (await page.locator('dialog code').textContent()) ?? ''
    expect(token).toMatch(/^mgi_[\w-]{43}$/)
    await page.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: 'Flower shop' }).waitFor()
  })

  test('the QR code counts down, and the page changes by itself after the scan', async () => {
    const { page } = guest
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await page.getByAltText('QR code to link a phone').waitFor()
    await page.getByText(/A new code in \d+ s/).waitFor()
    const number = await createPhone(world, 'Ana')
    const { body } = await world.callAs(token).get('/instance/status')
    await world.sim('POST', `/phones/${number}/scan`, { qr: body.pairing.qr })
    await page.getByText('Linked and connected.').waitFor()
    await page.getByText(formatPhone(number)).waitFor()
  })

  test('a received message appears at once, and the status of a reply changes by the event stream', async () => {
    const { page } = guest
    const friend = await createPhone(world, 'Bruno')
    const { body } = await world.callAs(token).get('/instance/status')
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await world.sim('POST', '/messages', { from: friend, to: body.instance.owner, text: 'Are there roses?' })
    await page.getByRole('link', { name: new RegExp(`Bruno|${friend}`) }).click()
    await page.locator('.bubble').getByText('Are there roses?').waitFor()
    const before = guest.requests.length
    await page.getByLabel('Write a message').fill('Red ones, from eight on.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('img', { name: 'Delivered' }).waitFor()
    const shown = await until(async () => {
      const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
      return (messages as { id: string; text: string }[]).find(
        ({ text }) => text === 'Red ones, from eight on.',
      )
    })
    await world.sim('POST', `/messages/${shown.id}/receipt`, { by: friend, type: 'read' })
    await page.getByRole('img', { name: 'Read', exact: true }).waitFor()
    expect(guest.requests.slice(before).filter((url) => url.endsWith('/message/find'))).toEqual([])
  })

  test('a message is reacted to, edited, and deleted for everyone', async () => {
    const { page } = guest
    const ownBubble = page.locator('.bubble.mine').last()
    const chooseAction = async (name: string) => {
      await ownBubble.hover()
      await ownBubble.getByRole('button', { name: 'Actions for this message' }).click()
      await ownBubble.getByRole('button', { name }).click()
    }
    await chooseAction('React with 👍')
    await ownBubble.locator('.reactions').getByText('👍 You').waitFor()
    await chooseAction('Edit')
    // Once more, and typed before the browser has painted what changes: it stays.
    await page.getByRole('button', { name: 'Cancel' }).click()
    await ownBubble.hover()
    await ownBubble.getByRole('button', { name: 'Actions for this message' }).click()
    // The script of the menu comes when it is opened.
    await ownBubble.getByRole('button', { name: 'Edit' }).waitFor()
    expect(await page.evaluate(editAndTypeAtOnce('Red ones, from nine on.'))).toBe('Red ones, from nine on.')
    await page.getByRole('button', { name: 'Save' }).click()
    await ownBubble.getByText('Red ones, from nine on.').waitFor()
    await chooseAction('Delete for everyone')
    const dialog = page.getByRole('dialog', { name: 'Delete this message for everyone?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await ownBubble.getByText('Red ones, from nine on.').waitFor()
    await chooseAction('Delete for everyone')
    await dialog.getByRole('button', { name: 'Delete for everyone' }).click()
    await ownBubble.getByText('This message was deleted.').waitFor()
  })

  test('the form of a webhook describes its effect, saves a new secret, and sends a test', async () => {
    const { page } = guest
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByText('To its own address').click()
    await page.getByRole('button', { name: 'Use the simulation’s own receiver' }).click()
    await page.getByRole('button', { name: 'Create a secret' }).click()
    await page.getByText(/every event will be posted to http:\/\/127\.0\.0\.1/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText(/The receiver responded with 204 after \d+ ms/).waitFor()
  })

  test('an event that a receiver refuses with 410 is a dead letter, and is delivered by a replay', async () => {
    const { page } = guest
    await page.getByRole('link', { name: 'Simulation', exact: true }).click()
    await page.getByRole('radio', { name: /410/ }).click()
    await until(() => page.getByRole('radio', { name: /410/ }).isChecked())
    await page.getByLabel('Write as Bruno').fill('And tulips?')
    await page.getByRole('button', { name: 'Write', exact: true }).click()
    await page.getByText('Received: And tulips?').waitFor()
    await page.locator('.received').getByText('410').first().waitFor()

    await page.getByRole('link', { name: 'Instances' }).click()
    await page.getByRole('link', { name: /Flower shop/ }).click()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('button', { name: 'Dead', exact: true }).click()
    await page
      .getByRole('button', { name: /messages/ })
      .first()
      .click()
    await page.getByText('"And tulips?"').first().waitFor()
    await page.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByText(/Stopped since/).waitFor()
    await page.getByRole('link', { name: 'Simulation', exact: true }).click()
    await page.getByRole('radio', { name: /204/ }).click()
    await until(() => page.getByRole('radio', { name: /204/ }).isChecked())
    await page.getByRole('link', { name: 'Instances' }).click()
    await page.getByRole('link', { name: /Flower shop/ }).click()
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/Stopped since/).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('button', { name: 'Replay dead events' }).click()
    await page.getByText(/would be delivered again/).waitFor()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText(/(is|are) queued/).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Dead', exact: true }).click()
    await page.getByText('No event matches these filters.').waitFor()
  })

  test('a send to an unresponsive network is shown with an unknown outcome', async () => {
    const { page } = guest
    await page.getByRole('link', { name: 'Simulation', exact: true }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Receipt: Delivered.').waitFor()
    await page.getByRole('button', { name: 'Silent' }).click()
    await page.getByText('The network no longer responds.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(/504 outcome_unknown: The network did not respond in time/).waitFor()
    await page.getByRole('button', { name: 'End all faults' }).click()
    await page.getByText('All faults are ended.').waitFor()
  })

  test('a killed host is started again by itself', async () => {
    const { page } = guest
    const before = world.run.parts['session host']
    await page.getByRole('button', { name: 'Kill host' }).click()
    await page.getByText('The session host was killed.').waitFor()
    await until(() => world.run.parts['session host'] !== before)
    await until(async () => (await world.callAs(token).get('/instance/status')).body.loggedIn)
  })

  test('no request left the origin, and no token is in an address, the history or the storage', async () => {
    const { page } = guest
    expectDiscreet(guest, world.run.baseUrl, [adminToken, token])
    const stored = await page.evaluate(
      'JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}, document.cookie])',
    )
    expect(stored).not.toContain(adminToken)
    expect(stored).not.toContain(token)
    expect(readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')).not.toContain(token)
  })

  test('an instance is deleted only after its name is typed', async () => {
    const { page } = guest
    await page.getByRole('link', { name: 'Instances' }).click()
    await page.getByRole('link', { name: /Flower shop/ }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const sure = page.getByRole('button', { name: 'Delete permanently' })
    expect(await sure.isDisabled()).toBe(true)
    await page.getByLabel('Type “Flower shop” to delete it').fill('Flower shop')
    await sure.click()
    await page.getByText('No instance yet.').waitFor()
    await until(async () => (await world.callAs(token).get('/instance/status')).status === 401)
  })
})
