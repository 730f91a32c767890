// The page on which a client of `/mcp` is allowed to get a token, in a browser: who holds a token chooses, and the browser goes back with a code.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizingGateway, createClient } from '../authorization.ts'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, type Device } from '../device.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import { findAccessibilityFaults, hasOverflow, inBrowser, noBrowser, visitPage } from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let device: Device
  let callback: string
  const app = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<p>Back</p>'),
  )

  beforeAll(async () => {
    callback = `http://${await listenAtReserved(app)}/callback`
    world = await borrowWorld(authorizingGateway)
    device = await createDevice(world, 'Flower shop')
  })

  afterAll(async () => {
    app.close()
    await world?.close()
  })

  async function startRequest(fields: Record<string, string> = {}) {
    const client = createClient(world.run.baseUrl)
    const clientId = await client.register([callback])
    const started = client.startRequest(clientId, { redirect_uri: callback, ...fields })
    return { client, started, url: `${world.run.baseUrl}/oauth/authorize${started.query}` }
  }

  test.each([
    ['en', english],
    ['pt-BR', portuguese],
    ['es', spanish],
  ] as const)(
    'in %s the instance itself allows a client for some chats, and it gets its token',
    async (language, words) => {
      const { client, started, url } = await startRequest()
      const visit = await visitPage(world.run.baseUrl, '/health/live')
      const { page } = visit
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.goto(`${url}&language=${language}`)
      await page.getByLabel(words.signIn.token).fill(device.token)
      await page.getByRole('button', { name: words.signIn.title }).click()
      await page.getByText(words.authorize.question('Agent')).waitFor()
      await page.getByText(words.authorize.local).waitFor()
      expect(await page.title()).toBe(words.authorize.title)
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await findAccessibilityFaults(page)).toEqual([])
        expect(await hasOverflow(page)).toBe(false)
      }
      await page.getByLabel(words.authorize.chats).fill('groups, people')
      await page.getByRole('button', { name: words.authorize.allow }).click()
      await page.waitForURL(`${callback}?*`)
      const code = new URL(page.url()).searchParams.get('code') ?? ''
      const issued = await client.exchange(started, code, { redirect_uri: callback })
      expect(issued.body).toMatchObject({ scope: 'read send', expires_in: 30 * 86_400 })
      const { tokens } = (await device.caller.get('/instance/tokens')).body
      expect(tokens.at(-1)).toMatchObject({ name: 'Agent', scope: 'send', chats: ['groups', 'people'] })
      expect(visit.complaints).toEqual([])
      await visit.close()
    },
  )

  test('an admin finds the instance by its name; who refuses sends the client away without a code', async () => {
    const adminToken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
    const { url } = await startRequest()
    const visit = await visitPage(world.run.baseUrl, '/health/live')
    const { page } = visit
    await page.goto(url)
    await page.getByLabel(english.signIn.token).fill(adminToken)
    await page.getByRole('button', { name: english.signIn.title }).click()
    const allow = page.getByRole('button', { name: english.authorize.allow })
    await allow.waitFor()
    expect(await allow.isDisabled()).toBe(true)
    await page.getByLabel(english.authorize.search).fill('Flower')
    await page.getByLabel('Flower shop').check()
    expect(await allow.isDisabled()).toBe(false)
    await page.getByRole('button', { name: english.authorize.refuse }).click()
    await page.waitForURL(`${callback}?*`)
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null])
    await visit.close()
  })

  test('a question that is wrong is shown, and the browser goes back by a press only', async () => {
    const { url } = await startRequest({ code_challenge_method: 'plain' })
    const visit = await visitPage(world.run.baseUrl, '/health/live')
    const { page } = visit
    await page.goto(url)
    await page.getByLabel(english.signIn.token).fill(device.token)
    await page.getByRole('button', { name: english.signIn.title }).click()
    const back = page.getByRole('button', { name: english.authorize.goBack(new URL(callback).host) })
    await back.click()
    await page.waitForURL(`${callback}?*`)
    expect(new URL(page.url()).searchParams.get('error')).toBe('invalid_request')
    await visit.close()
  })
})
