// The page of the documentation, unfolded and with an answer shown, for readers with other eyes and hands.
// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAccessibilityFaults, inBrowser, noBrowser, type Visit, visitPage } from '../console/browser.ts'
import { startWorld, type World } from '../world.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let world: World
  let guest: Visit

  beforeAll(async () => {
    world = await startWorld()
    guest = await visitPage(world.run.baseUrl, '/docs')
    const { page } = guest
    await page.evaluate("for (const one of document.querySelectorAll('details:not(.try)')) one.open = true")
    // The browser draws a section when it comes near: until then it keeps the colours that it had before.
    await page.evaluate(
      "document.styleSheets[0].insertRule('section { content-visibility: visible !important }', 0)",
    )
    // The form after a reader has used it.
    for (const id of ['createInstance', 'sendText', 'streamEvents', 'getStatus'])
      await page.locator(`section#${id} .try summary`).first().click()
    const form = page.locator('section#getStatus .try')
    await form.getByRole('button', { name: 'GET /instance/status' }).click()
    await form.getByText(/^401 Unauthorized · /).waitFor()
  })

  afterAll(async () => {
    await guest?.close()
    await world.close()
  })

  test.each([
    [1360, 'dark'],
    [360, 'light'],
  ] as const)(
    'at %i pixels, %s, nothing serious is in a reader’s way',
    async (width, colorScheme) => {
      await guest.page.setViewportSize({ width, height: 800 })
      await guest.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findAccessibilityFaults(guest.page)).toEqual([])
      await guest.page.getByRole('button', { name: /^Search/ }).click()
      await guest.page.getByLabel('Search everything').fill('send')
      expect(await findAccessibilityFaults(guest.page)).toEqual([])
      await guest.page.keyboard.press('Escape')
      // Thousands of elements are judged by some ninety rules.
    },
    180_000,
  )
})
