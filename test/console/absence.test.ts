// The console while the gateway or its database is away: one bar, stale figures, and their end without a click.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DatabaseServer, startDatabaseServer } from '../database-server.ts'
import { createDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import {
  findAccessibilityFaults,
  hasOverflow,
  inBrowser,
  noBrowser,
  signIn,
  type Visit,
  visitPage,
} from './browser.ts'

describe.skipIf(noBrowser)(inBrowser, () => {
  let database: DatabaseServer
  let world: World
  let guest: Visit
  let page: Page

  beforeAll(async () => {
    database = await startDatabaseServer()
    world = await startWorld(database.env)
    await world.admin.post('/instance/init', { name: 'Flower shop' })
    guest = await visitPage(world.run.baseUrl, '/console#/hosts')
    page = guest.page
    await signIn(page, readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim())
    await page.goto(`${world.run.baseUrl}/console#/hosts`)
    await page.getByText('slots in use').waitFor()
  })

  afterAll(async () => {
    await guest?.close()
    await world?.close()
    await database?.close()
  })

  const findBar = () => page.locator('.gateway-bar')

  /** What a page shows while nothing responds: it is looked at in both widths. */
  async function checkAwayPage(sentence: string): Promise<void> {
    await findBar().getByText(sentence).waitFor()
    await findBar()
      .getByText(/Last response at \d/)
      .waitFor()
    await findBar()
      .getByText(/Tries again in \d+ s\.|Trying again…/)
      .waitFor()
    await page.getByText(/^as of \d/).waitFor()
    expect(await page.locator('[role=alert]').count()).toBe(1)
    for (const width of [1360, 360]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await findAccessibilityFaults(page), await hasOverflow(page)]).toEqual([
        width,
        [],
        false,
      ])
    }
    await page.setViewportSize({ width: 1360, height: 900 })
  }

  async function checkPresentPage(): Promise<void> {
    await findBar().waitFor({ state: 'detached' })
    await page.getByText(/^as of \d/).waitFor({ state: 'detached' })
    expect(await page.locator('[role=alert]').count()).toBe(0)
  }

  test('a gateway that is away is one bar with the last response, over the figures of then, and it goes by itself', async () => {
    await world.killAndRestart(async () => {
      await checkAwayPage('The gateway does not respond.')
      await page.getByText('slots in use').waitFor()
      await page.getByRole('link', { name: 'Server webhook', exact: true }).click()
      await page.getByRole('heading', { name: 'Server webhook' }).waitFor()
      await checkAwayPage('The gateway does not respond.')
    })
    await checkPresentPage()
    await page.getByText('For every instance').first().waitFor()
  })

  test('a database that is away is the same bar, in its own words', async () => {
    await page.getByRole('link', { name: 'Hosts', exact: true }).click()
    await page.getByText('slots in use').waitFor()
    process.kill(database.pid, 'SIGSTOP')
    try {
      await checkAwayPage('The database of the gateway does not respond.')
    } finally {
      process.kill(database.pid, 'SIGCONT')
    }
    await checkPresentPage()
    expect(await page.getByText('slots in use').count()).toBe(1)
  })

  test('a gateway that hangs is away too', async () => {
    const edge = world.findPid('edge')
    process.kill(edge, 'SIGSTOP')
    try {
      await findBar().getByText('The gateway does not respond.').waitFor()
    } finally {
      process.kill(edge, 'SIGCONT')
    }
    await checkPresentPage()
    await until(async () => (await page.getByText('slots in use').count()) === 1)
  })

  test('the stream of events waits longer before each attempt, and is open again as soon as the gateway is back', async () => {
    const { id } = await createDevice(world)
    await page.goto(`${world.run.baseUrl}/console#/instances/${id}/chats`)
    await page.getByText('Live', { exact: true }).waitFor()
    const attempts: number[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/events/stream')) attempts.push(performance.now())
    })
    await world.killAndRestart(async () => {
      await until(() => attempts.length >= 3, { within: 30_000 })
    })
    const [first = 0, second = 0, third = 0] = attempts
    expect(third - second).toBeGreaterThan(1.5 * (second - first))
    await findBar().waitFor({ state: 'detached' })
    await page.getByText('Live', { exact: true }).waitFor()
  })
})
