// A one-time link in a browser: the operator sends it, and the person with the phone links it on a small screen, in each language.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPage as english } from '@msgnet/console/texts/en/link-texts.ts'
import { linkPage as spanish } from '@msgnet/console/texts/es/link-es.ts'
import { linkPage as portuguese } from '@msgnet/console/texts/pt-br/link-pt-br.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthenticator } from '../authenticator.ts'
import { createDevice, createNumber, createPhone, type Device, waitUntilConnected } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import {
  expectDiscreet,
  findAccessibilityFaults,
  hasOverflow,
  inBrowser,
  noBrowser,
  signIn,
  visitPage,
} from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World

  beforeAll(async () => {
    world = await startWorld()
  })

  afterAll(() => world?.close())

  async function createLink(device: Device, wish: object = {}): Promise<{ id: string; url: string }> {
    return (await world.admin.post(`/v1/instances/${device.id}/links`, wish)).body
  }

  /** As on a phone. */
  async function openLink(url: string, locale = 'en') {
    const { origin } = new URL(url)
    const visit = await visitPage(origin, '/health/live', { locale })
    await visit.page.setViewportSize({ width: 390, height: 844 })
    await visit.page.emulateMedia({ reducedMotion: 'reduce' })
    await visit.page.goto(url)
    return visit
  }

  async function checkPage(page: Page): Promise<string[]> {
    const found: string[] = []
    for (const [width, colorScheme] of [
      [390, 'light'],
      [390, 'dark'],
      [360, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      found.push(...(await findAccessibilityFaults(page)).map((fault) => `${width} ${colorScheme} ${fault}`))
      if (await hasOverflow(page)) found.push(`${width}: it can be moved sideways`)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    return found
  }

  const languages = [
    ['en', english, 'by the browser'],
    ['pt-BR', portuguese, 'by the link'],
    ['es', spanish, 'by the link'],
  ] as const

  test.each(languages)(
    'the page links a phone by a code in %s, with no accessibility fault in any state',
    async (language, words, by) => {
      const device = await createDevice(world, 'Flower shop')
      const { url } = await createLink(device, by === 'by the link' ? { language } : {})
      const visit = await openLink(url)
      const { page } = visit
      await page.getByRole('heading', { name: words.title }).waitFor()
      expect(await page.title()).toBe(words.title)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      await page.getByText(words.intro('Flower shop')).waitFor()
      await page.getByLabel(words.phone).waitFor()
      expect(await checkPage(page)).toEqual([])
      await page.getByLabel(words.phone).fill('12')
      await page.getByRole('button', { name: words.get.code }).click()
      await page.getByText(words.refusals.invalid_phone).waitFor()
      expect(await checkPage(page)).toEqual([])

      const number = createNumber()
      await world.sim('POST', '/phones', { number, name: 'Owner' })
      await page.getByLabel(words.phone).fill(`+${number}`)
      await page.getByRole('button', { name: words.get.code }).click()
      const code = page.locator('.pairing-code')
      await until(async () => /^[A-Z0-9]{4}-[A-Z0-9]{4}$/.test((await code.textContent()) ?? ''))
      expect(await checkPage(page)).toEqual([])
      await world.sim('POST', `/phones/${number}/code`, { code: await code.textContent() })
      await page.getByRole('heading', { name: words.linked }).waitFor()
      expect(await checkPage(page)).toEqual([])
      await waitUntilConnected(device)
      await page.reload()
      await page.getByRole('heading', { name: words.linked }).waitFor()
      const secret = new URL(url).hash.slice(1)
      expectDiscreet(
        { ...visit, requests: visit.requests.filter((each) => each !== url) },
        world.run.baseUrl,
        [secret, device.token],
      )
      await visit.close()
    },
  )

  test('the QR code is large, follows the network, and a code can be had in its place', async () => {
    const device = await createDevice(world)
    const { url } = await createLink(device)
    const { page, close, complaints } = await openLink(url)
    await page.getByLabel(english.phone).waitFor()
    await page.getByLabel(english.methods.qr).check()
    await page.getByRole('button', { name: english.get.qr }).click()
    const picture = page.getByAltText(english.qrAlt)
    await picture.waitFor()
    expect((await picture.boundingBox())?.width).toBeGreaterThan(280)
    expect(await checkPage(page)).toEqual([])
    const readShownCode = async () => (await device.caller.get('/instance/status')).body.pairing?.qrcode
    await until(async () => (await picture.getAttribute('src')) === (await readShownCode()))
    await page.getByLabel(english.methods.code).check()
    await page.getByLabel(english.phone).fill(await createPhone(world, 'Owner'))
    await page.getByRole('button', { name: english.get.code }).click()
    await page.locator('.pairing-code').waitFor()
    await page.getByLabel(english.methods.qr).check()
    await page.getByRole('button', { name: english.get.qr }).click()
    await picture.waitFor()
    const number = await createPhone(world, 'Owner')
    await until(async () => {
      const qr = (await device.caller.get('/instance/status')).body.pairing?.qr
      return qr && (await world.sim('POST', `/phones/${number}/scan`, { qr }))
    })
    await page.getByRole('heading', { name: english.linked }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('on another screen the QR code comes by itself, and a refusal on the phone is said in words', async () => {
    const device = await createDevice(world)
    const { url } = await createLink(device)
    const owner = createAuthenticator('https://www.example.org')
    const number = await createPhone(world, 'Owner', { passkey: { rpId: 'example.org' } })
    await world.sim('POST', `/phones/${number}/passkey/credentials`, owner.created)
    const { page, close } = await visitPage(world.run.baseUrl, new URL(url).pathname + new URL(url).hash)
    await page.getByAltText(english.qrAlt).waitFor()
    const { body } = await device.caller.get('/instance/status')
    await world.sim('POST', `/phones/${number}/scan`, { qr: body.pairing.qr })
    await page.getByRole('heading', { name: 'This account needs a passkey' }).waitFor()
    expect(await checkPage(page)).toEqual([])
    const { options } = (await device.caller.get('/instance/status')).body.pairing.passkey
    await page.getByLabel('The assertion, as JSON').fill(JSON.stringify(owner.signChallenge(options)))
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByRole('heading', { name: 'Compare this code with the phone' }).waitFor()
    await until(async () => {
      const { linking } = await world.sim('GET', `/phones/${number}/passkey`)
      return (linking as { confirmation: string }).confirmation
    })
    await world.sim('POST', `/phones/${number}/passkey/confirm`, { confirm: false })
    await page.getByText(english.reasons.pairing_expired).waitFor()
    expect(await checkPage(page)).toEqual([])
    await close()
  })

  test('a link that is deleted while its page is open, has expired, or never was, says that it has ended', async () => {
    const device = await createDevice(world)
    const { url, id } = await createLink(device)
    const { page, close } = await openLink(url)
    await page.getByLabel(english.phone).waitFor()
    await world.admin.delete(`/v1/instances/${device.id}/links/${id}`)
    await page.getByRole('heading', { name: english.ended }).waitFor()
    expect(await checkPage(page)).toEqual([])
    const second = await createLink(device)
    await world.queryDatabase(`update links set expires_at = 1 where id = '${second.id}'`)
    for (const each of [second.url, `${url.split('#')[0]}#`, `${url.split('#')[0]}#mgl_x`]) {
      await page.goto('about:blank')
      await page.goto(each)
      await page.getByRole('heading', { name: english.ended }).waitFor()
    }
    await close()
  })

  test('the operator creates a link, copies it, sees its QR code and end, and ends it', async () => {
    const device = await createDevice(world, 'Bakery')
    const { page, close, complaints } = await visitPage(world.run.baseUrl, `/console#/instances/${device.id}`)
    await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await page.getByRole('button', { name: 'Send a link' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('1 day').check()
    await dialog.getByLabel('Português').check()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create the link' }).click()
    await dialog.getByAltText('QR code with the link').waitFor()
    const url = (await dialog.locator('.secret code').textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url)
    const [link] = (await world.admin.get(`/v1/instances/${device.id}/links`)).body.links
    expect(link.language).toBe('pt-BR')
    expect(Date.parse(link.expiresAt) - Date.parse(link.createdAt)).toBe(86_400_000)
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await findAccessibilityFaults(page)).toEqual([])
    expect(await hasOverflow(page)).toBe(false)
    const phone = await openLink(url)
    await phone.page.getByText(portuguese.intro('Bakery')).waitFor()
    await dialog.getByRole('button', { name: 'End it' }).click()
    await phone.page.getByRole('heading', { name: portuguese.ended }).waitFor()
    await until(async () => (await dialog.getByRole('button', { name: 'End it' }).count()) === 0)
    await phone.close()
    expect(complaints).toEqual([])
    await close()
  })
})
