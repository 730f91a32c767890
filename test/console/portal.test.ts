// The page behind a link to the webhooks of one instance, in a browser: the operator sends it, and who receives the events tries again.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPage as linkPageTexts, links as linkTexts } from '@msgnet/console/texts/en/link-texts.ts'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { findAccessibilityFaults, hasOverflow, inBrowser, noBrowser, signIn, visitPage } from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let receiver: Receiver
  let device: LinkedDevice

  beforeAll(async () => {
    receiver = await startReceiver()
    world = await borrowWorld()
    device = await linkDevice(world, await createDevice(world, 'Flower shop'))
    await subscribeReceiver(device, receiver)
  })

  afterAll(async () => {
    await world?.close()
    await receiver?.close()
  })

  /** One message to the device, that the receiver refuses for ever. */
  async function failDelivery(text: string): Promise<void> {
    receiver.status = 410
    await world.sim('POST', '/messages', { from: await createPhone(world), to: device.number, text })
    await receiver.waitForDelivery((envelope) => JSON.stringify(envelope).includes(text))
  }

  test.each([
    ['en', english],
    ['pt-BR', portuguese],
    ['es', spanish],
  ] as const)(
    'in %s it says what stopped, and delivers what is dead again once the webhook is saved',
    async (language, words) => {
      const { id } = device
      const { body } = await world.admin.post(`/v1/instances/${id}/links`, { purpose: 'webhooks', language })
      const text = `refused in ${language}`
      await failDelivery(text)
      const visit = await visitPage(world.run.baseUrl, '/health/live')
      const { page } = visit
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.goto(body.url)
      await page.getByRole('heading', { name: words.portal.title }).waitFor()
      expect(await page.title()).toBe(words.portal.title)
      await page.getByText(words.portal.intro('Flower shop')).waitFor()
      await page.getByText(words.portal.stopped).waitFor()
      await page.getByText(words.webhook.failures).waitFor()
      await page.getByRole('button', { name: words.deliveries.replayOne }).first().waitFor()
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await findAccessibilityFaults(page)).toEqual([])
        expect(await hasOverflow(page)).toBe(false)
      }
      receiver.status = 200
      await subscribeReceiver(device, receiver)
      await page.getByRole('button', { name: words.webhook.testConfirm }).click()
      await page.getByText(words.webhook.delivered, { exact: true }).waitFor()
      await page.getByRole('button', { name: words.deliveries.health.replayDead }).click()
      await page.getByText(words.deliveries.queued(1)).waitFor()
      const isAgain = (sent: { body: string }) => sent.body.includes(text)
      await expect.poll(() => receiver.deliveries.filter(isAgain).length, { timeout: 15_000 }).toBe(2)
      expect(visit.complaints).toEqual([])
      await visit.close()
    },
  )

  test('an operator creates the link beside the webhooks, and ends it: the open page says so', async () => {
    for (const { id } of await listLinks()) await world.admin.delete(`/v1/instances/${device.id}/links/${id}`)
    const operator = await visitPage(world.run.baseUrl, '/console')
    const { page } = operator
    await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await page.goto(`${world.run.baseUrl}/console#/instances/${device.id}/webhook`)
    const live = page.getByRole('region', { name: linkTexts.active })
    await page.getByText(linkTexts.titles.webhooks).waitFor()
    await page.getByRole('button', { name: linkTexts.send }).click()
    await page.getByText(linkTexts.hints.webhooks).waitFor()
    await page.getByRole('button', { name: linkTexts.create }).click()
    const url = await page.locator('.secret code').textContent()
    await page.getByRole('button', { name: english.close, exact: true }).click()
    const guest = await visitPage(world.run.baseUrl, '/health/live')
    await guest.page.goto(url ?? '')
    await guest.page.getByRole('heading', { name: english.portal.title }).waitFor()
    await live.getByRole('button', { name: linkTexts.delete }).click()
    await guest.page.getByText(linkPageTexts.ended).waitFor()
    await guest.close()
    await operator.close()
  })

  const listLinks = async (): Promise<{ id: string }[]> =>
    (await world.admin.get(`/v1/instances/${device.id}/links`)).body.links
})
