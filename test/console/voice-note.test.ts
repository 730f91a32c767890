// A voice note in the console: recorded in the browser, sent, and played. Its world has the usual time for an act: the first conversion of
// a host starts a program, which takes seconds on a busy machine.
// @module-tag slow

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Scene } from '../scene.ts'
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

const WITHIN = { within: 45_000 }

describe.skipIf(noBrowser)(inBrowser, () => {
  let scene: Scene
  let guest: Visit
  let page: Page
  let clara = ''

  const readTypes = async (): Promise<string[]> => {
    const { messages } = await scene.world.sim('GET', `/phones/${clara}/inbox`)
    return (messages as { type: string }[]).map(({ type }) => type)
  }

  beforeAll(async () => {
    scene = await borrowScene()
    const { world, device } = scene
    clara = await createPhone(world, 'Clara')
    await world.sim('POST', '/messages', { from: clara, to: device.number, text: 'Call me' })
    guest = await visitPage(world.run.baseUrl, '/console')
    page = guest.page
    await signIn(page, device.token)
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.locator('.chat').filter({ hasText: 'Clara' }).click()
    await page.context().grantPermissions(['microphone'], { origin: world.run.baseUrl })
  })

  afterAll(() => guest?.close())

  test('a voice note is recorded, arrives as mono Ogg Opus, and is played along its waveform', async () => {
    const record = page.getByRole('button', { name: 'Record a voice note' })
    await record.click()
    const bar = page.getByRole('group', { name: 'Recording a voice note' })
    await until(async () => (await bar.locator('.levels i').count()) > 5)
    await bar.getByRole('button', { name: 'Cancel' }).click()
    await record.click()
    await bar.getByText('0:02').waitFor()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await bar.getByRole('button', { name: 'Send' }).click()
    await until(async () => (await readTypes()).at(-1) === 'audio', WITHIN)
    expect((await readTypes()).filter((type) => type === 'audio')).toHaveLength(1)
    const voice = page.locator('.bubble .voice')
    // The network has it before the page has drawn it.
    await voice.locator('.waveform i').first().waitFor()
    expect(await voice.locator('.waveform i').count()).toBe(64)
    await voice.getByText(/^0:\d\d$/).waitFor()
    expect(await findAccessibilityFaults(page)).toEqual([])
    await voice.getByRole('button', { name: 'Play' }).click()
    await voice.locator('.waveform i.on').first().waitFor()
    const { body } = await scene.device.caller.post('/message/find', { chatid: clara, limit: 1 })
    expect(body.messages[0]).toMatchObject({
      mediaType: 'ptt',
      content: { mimetype: 'audio/ogg; codecs=opus' },
    })
  })

  test('the microphone is released after a double click, and where a text is begun while it is asked for', async () => {
    // Whoever is asked takes a moment to allow it.
    await page.evaluate(`{
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
      globalThis.tracks = []
      navigator.mediaDevices.getUserMedia = async (constraints) => {
        await new Promise((resolve) => setTimeout(resolve, 500))
        const stream = await ask(constraints)
        tracks.push(...stream.getTracks())
        return stream
      }
    }`)
    const listStates = () => page.evaluate<string[]>('tracks.map(({ readyState }) => readyState)')
    const record = page.getByRole('button', { name: 'Record a voice note' })
    await record.dblclick()
    const bar = page.getByRole('group', { name: 'Recording a voice note' })
    await until(async () => (await bar.locator('.levels i').count()) > 5)
    await bar.getByRole('button', { name: 'Cancel' }).click()
    await until(async () => (await listStates()).every((state) => state === 'ended'))
    expect(await listStates()).toHaveLength(1)
    await record.click()
    await page.getByLabel('Write a message').fill('By hand')
    await until(async () => (await listStates()).join() === 'ended,ended')
    await page.getByLabel('Write a message').fill('')
  })

  test('no page caused an error in the browser', () => {
    expectDiscreet(guest, scene.world.run.baseUrl, [scene.device.token])
  })
})
