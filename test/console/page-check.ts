// Signs in to the console in any language, and checks an open page for what everybody must be able to use.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findAccessibilityFaults, hasOverflow } from './browser.ts'

export async function signIn(page: Page, token: string): Promise<void> {
  await page.locator('form input').first().fill(token)
  await page.locator('form button[type=submit]').click()
  await page.locator('nav.side').waitFor()
}

/** Wide and light, small and dark: no fault by the rules of axe, and nothing that moves sideways. */
export async function checkPage(page: Page): Promise<void> {
  for (const [width, colorScheme] of [
    [1360, 'light'],
    [360, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const faults = await findAccessibilityFaults(page)
    expect([width, colorScheme, faults, await hasOverflow(page)]).toEqual([width, colorScheme, [], false])
  }
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
