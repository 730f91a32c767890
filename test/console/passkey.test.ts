// A browser links a device whose account demands a passkey, with the virtual authenticator of its debugger.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPhone } from '@msgnet/console/format-id.ts'
import type { CDPSession } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthenticator } from '../authenticator.ts'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone } from '../device.ts'
import { until } from '../until.ts'
import {
  expectDiscreet,
  findAccessibilityFaults,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

/** In the browser: makes a credential of this site, as a phone's owner would. */
const MAKE_CREDENTIAL = `(async () => {
  const bytes = () => crypto.getRandomValues(new Uint8Array(32))
  const credential = await navigator.credentials.create({ publicKey: {
    rp: { id: 'localhost', name: 'The network' },
    user: { id: bytes(), name: 'owner', displayName: 'Owner' },
    challenge: bytes(),
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  } })
  return credential.toJSON()
})()`

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let guest: Visit
  let debug: CDPSession
  let authenticatorId = ''
  let baseUrl = ''
  const tokens: string[] = []

  beforeAll(async () => {
    world = await borrowWorld()
    // Browsers know no passkeys for an address of numbers.
    baseUrl = world.run.baseUrl.replace('127.0.0.1', 'localhost')
    guest = await visitPage(baseUrl, '/console')
    debug = await guest.page.context().newCDPSession(guest.page)
    await debug.send('WebAuthn.enable')
    const added = await debug.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        automaticPresenceSimulation: true,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    authenticatorId = added.authenticatorId
  })

  afterAll(async () => {
    await guest?.close()
    await world.close()
  })

  /** Signed in as a new instance, whose QR code a phone has scanned. */
  async function scanCode(passkey: boolean | object, register: (number: string) => Promise<unknown>) {
    const { page } = guest
    const device = await createDevice(world)
    tokens.push(device.token)
    const number = await createPhone(world, 'Owner', { passkey })
    await register(number)
    await page.goto(`${baseUrl}/console`)
    await page.getByRole('button', { name: 'Sign out' }).or(page.getByLabel('Token')).first().waitFor()
    if (await page.getByRole('button', { name: 'Sign out' }).isVisible())
      await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, device.token)
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await page.getByAltText('QR code to link a phone').waitFor()
    const { body } = await device.caller.get('/instance/status')
    await world.sim('POST', `/phones/${number}/scan`, { qr: body.pairing.qr })
    await page.getByRole('heading', { name: 'This account needs a passkey' }).waitFor()
    return { ...device, number }
  }
  const registerPasskey = (number: string, created: object) =>
    world.sim('POST', `/phones/${number}/passkey/credentials`, created)
  const confirmPasskey = (number: string, yes: boolean) =>
    world.sim('POST', `/phones/${number}/passkey/confirm`, { confirm: yes })
  async function readCodeOnPhone(number: string): Promise<string> {
    const { linking } = await world.sim('GET', `/phones/${number}/passkey`)
    return (linking as { confirmation: string }).confirmation
  }

  test('the passkey of this browser links the device once the owner has compared the code', async () => {
    const { page } = guest
    const { number } = await scanCode(true, async (made) =>
      registerPasskey(made, (await page.evaluate(MAKE_CREDENTIAL)) as object),
    )
    await page.getByText(/\d+:\d\d left/).waitFor()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await debug.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Use the passkey' }).click()
    await page.getByText('The browser returned no passkey').waitFor()
    await debug.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await page.getByRole('button', { name: 'Use the passkey' }).click()
    await page.getByRole('heading', { name: 'Compare this code with the phone' }).waitFor()
    expect(await page.locator('.pairing-code').textContent()).toBe(await readCodeOnPhone(number))
    await confirmPasskey(number, true)
    await page.getByText('Linked and connected.').waitFor()
    await page.getByText(formatPhone(number)).waitFor()
  })

  test('an assertion of another site can be pasted, and each outcome is shown in a sentence', async () => {
    const { page } = guest
    const owner = createAuthenticator('https://www.example.org')
    const { caller, number } = await scanCode({ rpId: 'example.org' }, (made) =>
      registerPasskey(made, owner.created),
    )
    await page.getByText('The passkey belongs to example.org').waitFor()
    const readOptions = async () => (await caller.get('/instance/status')).body.pairing.passkey.options
    expect(await page.locator('.secret code').textContent()).toContain((await readOptions()).challenge)
    expect(await findAccessibilityFaults(page)).toEqual([])
    const field = page.getByLabel('The assertion, as JSON')
    const send = page.getByRole('button', { name: 'Send it' })
    await field.fill('not JSON')
    await send.click()
    await page.getByText('This is not an assertion').waitFor()
    const first = await readOptions()
    await field.fill(JSON.stringify(owner.signChallenge(first, { unverified: true })))
    await send.click()
    // With another challenge the step starts again.
    await until(async () => (await readOptions()).challenge !== first.challenge)
    await until(async () => (await field.inputValue()) === '')
    await field.fill(JSON.stringify(owner.signChallenge(await readOptions())))
    await send.click()
    await page.getByRole('heading', { name: 'Compare this code with the phone' }).waitFor()
    await until(async () => (await readCodeOnPhone(number)) !== '')
    await confirmPasskey(number, false)
    await page.getByText('or the owner refused').first().waitFor()
  })

  test('the simulation creates a passkey for its phone, and shows both sides', async () => {
    const { page } = guest
    // The authenticator shows no list to choose from: it takes one of those that it has for the site.
    await debug.send('WebAuthn.clearCredentials', { authenticatorId })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await page.getByRole('link', { name: 'Simulation', exact: true }).click()
    await page.getByRole('button', { name: 'New instance' }).click()
    await page.getByRole('button', { name: 'Show a QR code' }).click()
    await page.getByLabel('The account needs a passkey').check()
    await page.getByRole('button', { name: 'Scan the QR code' }).click()
    await page.getByText('use the passkey there').waitFor()
    await page.getByRole('button', { name: 'Use the passkey' }).click()
    await page.getByText('Does it show this code?').waitFor()
    const codes = await until(async () => {
      const shown = await page.locator('.pairing-code').allTextContents()
      return shown.length === 2 && shown
    })
    expect(codes[1]).toBe(codes[0])
    await page.getByRole('button', { name: 'Yes, link it' }).click()
    await page.getByText('Connected', { exact: true }).first().waitFor()
  })

  test('a page under a numeric address links to the one that has the passkey', async () => {
    const { page } = guest
    const { token } = await scanCode(true, async () => undefined)
    await page.goto(`${world.run.baseUrl}/console`)
    await signIn(page, token)
    const link = page.getByRole('link', { name: baseUrl })
    expect(await link.getAttribute('href')).toContain(`${baseUrl}/console`)
    expectDiscreet(
      { ...guest, requests: guest.requests.filter((url) => url.startsWith(baseUrl)) },
      baseUrl,
      tokens,
    )
  })
})
