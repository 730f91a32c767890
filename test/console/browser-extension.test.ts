// The browser extension in a real Chromium: on the network's own page, which here is a stand-in under its name, it makes the assertion that a gateway's page asks for, once the person has agreed.
// @module-tag slow

import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPage } from '@msgnet/console/texts/en/link-texts.ts'
import { passkey as words } from '@msgnet/console/texts/en/passkey-texts.ts'
import { createCertificate, createHostKey, toPem } from '@msgnet/simulator/crypto/certificate.ts'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type Device, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'
import { expectAccessible, findFaultsIn, inBrowser, noBrowser, smallScreen, views } from './browser.ts'

const EXTENSION = join(import.meta.dirname, '..', '..', 'clients', 'browser-extension')
const NETWORK = 'https://web.whatsapp.com'
/** The network's page may forbid what it likes: the extension's dialog is not subject to it. */
const NETWORK_HEADERS = {
  'content-type': 'text/html',
  'content-security-policy': "default-src 'none'",
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}
const authenticator = {
  protocol: 'ctap2',
  transport: 'internal',
  automaticPresenceSimulation: true,
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
} as const
const MAKE_CREDENTIAL = `(async () => (await navigator.credentials.create({ publicKey: {
  rp: { id: 'whatsapp.com', name: 'The network' },
  user: { id: crypto.getRandomValues(new Uint8Array(32)), name: 'owner', displayName: 'Owner' },
  challenge: crypto.getRandomValues(new Uint8Array(32)),
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
} })).toJSON())()`

interface Authenticator {
  debug: CDPSession
  authenticatorId: string
}

async function addAuthenticator(page: Page): Promise<Authenticator> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('WebAuthn.enable')
  const { authenticatorId } = await debug.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
  return { debug, authenticatorId }
}

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let network: Server
  let context: BrowserContext
  let profile = ''
  const networkRequests: string[] = []

  beforeAll(async () => {
    world = await borrowWorld()
    const key = createHostKey()
    const der = createCertificate(key)
    const { certificate, key: privateKey } = toPem(key, der)
    network = createServer({ cert: certificate, key: privateKey }, ({ url = '' }, response) => {
      networkRequests.push(url)
      response
        .writeHead(200, NETWORK_HEADERS)
        .end('<!doctype html><html lang="en"><title>Network</title><main><h1>Network</h1></main>')
    })
    await once(network.listen(0, '127.0.0.1'), 'listening')
    const { port } = network.address() as AddressInfo
    const spki = new X509Certificate(der).publicKey.export({ type: 'spki', format: 'der' })
    profile = mkdtempSync(join(tmpdir(), 'extension-'))
    context = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      locale: 'en',
      viewport: { width: 1360, height: 900 },
      ignoreDefaultArgs: ['--disable-extensions', '--headless'],
      args: [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        `--disable-extensions-except=${EXTENSION}`,
        `--load-extension=${EXTENSION}`,
        `--host-resolver-rules=MAP web.whatsapp.com:443 127.0.0.1:${port}`,
        `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
      ],
    })
    context.setDefaultTimeout(20_000)
  })

  afterAll(async () => {
    await context?.close()
    network?.close()
    rmSync(profile, { recursive: true, force: true })
    await world?.close()
  })

  /** The page of a link whose account demands a passkey, and the passkey as the authenticator of a page holds it. */
  async function reachPasskey(name: string) {
    const device = await createDevice(world, name)
    const number = await createPhone(world, 'Owner', { passkey: { rpId: 'whatsapp.com' } })
    const site = await context.newPage()
    await site.goto(NETWORK)
    const { debug, authenticatorId } = await addAuthenticator(site)
    const created = (await site.evaluate(MAKE_CREDENTIAL)) as object
    await world.sim('POST', `/phones/${number}/passkey/credentials`, created)
    const { credentials } = await debug.send('WebAuthn.getCredentials', { authenticatorId })
    await site.close()
    const { url } = (await world.admin.post(`/v1/instances/${device.id}/links`, {})).body
    const page = await context.newPage()
    await page.goto(url)
    const qr = await until(async () => (await device.caller.get('/instance/status')).body.pairing?.qr)
    await world.sim('POST', `/phones/${number}/scan`, { qr })
    await page.getByRole('heading', { name: words.title }).waitFor()
    return { device, number, page, credential: credentials[0] }
  }

  type Reached = Awaited<ReturnType<typeof reachPasskey>>

  /** The network's page as the offer opens it, with the passkey at hand. */
  async function openNetwork({ page, credential }: Reached): Promise<Page> {
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: words.extension.open }).click()
    const site = await opened
    const { debug, authenticatorId } = await addAuthenticator(site)
    if (credential) await debug.send('WebAuthn.addCredential', { authenticatorId, credential })
    await site.getByRole('dialog').waitFor()
    return site
  }

  const confirmOnPhone = async (number: string) => {
    await until(async () => {
      const { linking } = await world.sim('GET', `/phones/${number}/passkey`)
      return (linking as { confirmation?: string })?.confirmation
    })
    await world.sim('POST', `/phones/${number}/passkey/confirm`, { confirm: true })
  }
  const readPairing = async ({ caller }: Device) => (await caller.get('/instance/status')).body.pairing

  test('the person sees gateway and account on the network’s page, agrees, and the device is linked', async () => {
    const reached = await reachPasskey('Flower shop')
    await expectAccessible(reached.page)
    const site = await openNetwork(reached)
    expect(site.url()).toBe(`${NETWORK}/`)
    const dialog = site.getByRole('dialog')
    await dialog.getByText(world.run.baseUrl, { exact: true }).waitFor()
    await dialog.getByText('Flower shop', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Agree and use the passkey' }).click()
    await site.getByRole('heading', { name: words.extension.taken.title }).waitFor()
    expect(site.url()).toBe(`${world.run.baseUrl}/link`)
    await reached.page.getByRole('heading', { name: words.compare }).waitFor()
    await confirmOnPhone(reached.number)
    await reached.page.getByRole('heading', { name: linkPage.linked }).waitFor()
    await waitUntilConnected(reached.device)
    expect(networkRequests.filter((path) => path !== '/' && path !== '/favicon.ico')).toEqual([])
  })

  test('without agreement nothing is signed or sent, and a reload does not ask again', async () => {
    const reached = await reachPasskey('Bakery')
    const site = await openNetwork(reached)
    await site.getByRole('button', { name: 'Do not agree' }).click()
    await site.getByRole('dialog').waitFor({ state: 'detached' })
    await site.reload()
    await site.getByRole('heading', { name: 'Network' }).waitFor()
    expect([site.url(), await site.getByRole('dialog').count()]).toEqual([`${NETWORK}/`, 0])
    expect((await readPairing(reached.device)).passkey.confirmation).toBe('')
  })

  test('a browser without the passkey says so, and the person may try again', async () => {
    const site = await openNetwork({ ...(await reachPasskey('Bookshop')), credential: undefined })
    await site.getByRole('button', { name: 'Agree and use the passkey' }).click()
    await site.getByRole('alert').getByText('The browser returned no passkey').waitFor()
    expect(await findFaultsIn(site, views)).toEqual([])
    await site.getByRole('button', { name: 'Agree and use the passkey' }).waitFor()
  })

  test('an answer is taken once, and only by the page that asked for it', async () => {
    const reached = await reachPasskey('Kiosk')
    const address =
      (await reached.page.getByRole('link', { name: words.extension.open }).getAttribute('href')) ?? ''
    const { nonce } = JSON.parse(decodeURIComponent(address.split('=').slice(1).join('=')))
    const assertion = {
      id: 'AA',
      rawId: 'AA',
      type: 'public-key',
      response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' },
    }
    const openAnswer = async (answer: object) => {
      const page = await context.newPage()
      await page.goto(`${world.run.baseUrl}/link#passkey=${encodeURIComponent(JSON.stringify(answer))}`)
      const title = await page.getByRole('heading', { level: 2 }).textContent()
      await page.close()
      return title
    }
    const { taken, notTaken } = words.extension
    expect(await openAnswer({ nonce: 'another', assertion })).toBe(notTaken.title)
    expect(await openAnswer({ nonce, assertion })).toBe(taken.title)
    expect(await openAnswer({ nonce, assertion })).toBe(notTaken.title)
    await reached.page.getByRole('alert').waitFor()
  })

  const request = {
    origin: 'https://gateway.example.com',
    nonce: 'n'.repeat(32),
    account: 'Shop',
    expiresAt: Date.now() + 600_000,
    options: { challenge: 'AAAA', rpId: 'whatsapp.com' },
  }
  const visitWith = async (wish: unknown) => {
    const page = await context.newPage()
    await page.goto(`${NETWORK}/#msgnet-passkey=${encodeURIComponent(JSON.stringify(wish))}`)
    await page.getByRole('heading', { name: 'Network' }).waitFor({ state: 'attached' })
    return page
  }

  test('a request that has expired cannot be agreed to', async () => {
    const page = await visitWith({ ...request, expiresAt: Date.now() - 1 })
    await page.getByText('This request has expired.').waitFor()
    expect(await page.getByRole('button').allTextContents()).toEqual(['Close'])
    expect(await findFaultsIn(page, [smallScreen])).toEqual([])
  })

  test.each([
    ['an origin without TLS', { ...request, origin: 'http://gateway.example.com' }],
    ['an origin with a path', { ...request, origin: 'https://gateway.example.com/elsewhere' }],
    ['a script in place of an origin', { ...request, origin: 'javascript:alert(1)' }],
    ['no challenge', { ...request, options: {} }],
    ['a short nonce', { ...request, nonce: '1' }],
    ['no account', { ...request, account: undefined }],
    ['nothing', null],
  ])('a request with %s is not asked about', async (_, wish) => {
    const page = await visitWith(wish)
    const asked = await visitWith(request)
    await asked.getByRole('dialog').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('the extension asks for no permission but to run on the network’s own page', () => {
  const manifest = JSON.parse(readFileSync(join(EXTENSION, 'manifest.json'), 'utf8'))
  expect(
    Object.keys(manifest).filter((name) => /permission|background|connectable|accessible/.test(name)),
  ).toEqual([])
  expect(manifest.content_scripts.map(({ matches }: { matches: string[] }) => matches)).toEqual([
    [`${NETWORK}/*`],
  ])
})

test('the extension says the same in each language', () => {
  const readNames = (locale: string) =>
    Object.keys(JSON.parse(readFileSync(join(EXTENSION, '_locales', locale, 'messages.json'), 'utf8'))).sort()
  expect(readNames('es')).toEqual(readNames('en'))
  expect(readNames('pt_BR')).toEqual(readNames('en'))
})
