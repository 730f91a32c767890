// The audit log in the console: acts in plain words, by name, and reading as one row an hour.
// @module-tag slow

import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import { entries } from '@msgnet/openapi/document.ts'
import { getEffect } from '@msgnet/shared/api/route-declaration.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { expectAccessible, inBrowser, noBrowser, signIn, type Visit, visitPage } from './browser.ts'

test('each use of an instance by an admin has words of its own in every language', () => {
  const uses = entries.flatMap(({ operation }) =>
    operation.auth === 'instance' && getEffect(operation) !== 'reads' && !operation.audit
      ? [operation.id]
      : [],
  )
  for (const { audit } of [english, portuguese, spanish])
    expect(Object.keys(audit.uses).toSorted()).toEqual(uses.toSorted())
})

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: BorrowedWorld
  let guest: Visit
  let page: Page
  let shop: Awaited<ReturnType<typeof linkDevice>>

  beforeAll(async () => {
    world = await borrowWorld()
    shop = await linkDevice(world, await createDevice(world, 'Flower shop'))
    for (let count = 0; count < 4; count++) {
      const writer = await createPhone(world, `Guest ${count}`)
      await world.sim('POST', '/messages', { from: writer, to: shop.number, text: `Hello ${count}` })
    }
    const { token } = (await world.admin.post('/v1/tokens', { name: 'Maria', scope: 'admin' })).body
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, token)
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
  })

  const findRows = (text: string) =>
    page.locator('tbody tr').filter({ hasText: 'Maria' }).filter({ hasText: text })

  test('a conversation that is opened is one row of the log, in words, with names', async () => {
    await page.goto(`${world.run.baseUrl}/console#/instances/${shop.id}/chats`)
    await page.getByRole('link', { name: /Guest 1/ }).click()
    await page.locator('.bubble').getByText('Hello 1').waitFor()
    await page.getByLabel('Write a message').fill('Good morning')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.bubble').getByText('Good morning').waitFor()
    await page.goto(`${world.run.baseUrl}/console#/audit?object=${shop.id}`)
    await findRows('Text sent').getByText('acting for Flower shop').waitFor()
    expect(await findRows('Conversation opened').count()).toBe(0)
    await page.getByRole('button', { name: 'Changes only' }).click()
    await until(async () => (await findRows('Conversation opened').count()) === 1)
    await findRows('Conversation opened').getByRole('link', { name: 'Flower shop' }).first().waitFor()
    expect(await findRows('As the instance').count()).toBe(0)
    await expectAccessible(page)
  })
})
