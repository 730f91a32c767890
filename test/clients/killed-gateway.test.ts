// The example bots of the clients go on when the gateway is killed and comes back: each text is answered once.
// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { readInbox, startBot } from './echo-bot.ts'
import { findMissing, languages } from './languages.ts'

/**
 * The kill may come between an answer and its acknowledgement. Then the client asks for the outcome for up to a minute before the bot
 * goes on to the next text.
 */
const ANSWERED_WITHIN = 120_000

let world: World

beforeAll(async () => {
  world = await startWorld()
}, 120_000)

afterAll(() => world?.close())

describe.each(languages)('the bot in $language', (own) => {
  test('answers what came before and after a kill of the gateway, each once', async ({ skip }) => {
    const missing = findMissing(own)
    if (missing) skip(missing)
    const device = await linkDevice(world, await createDevice(world, 'Shop'))
    const friend = await createPhone(world, 'Ana')
    const say = (text: string) => world.sim('POST', '/messages', { from: friend, to: device.number, text })
    const waitForAnswers = (count: number) =>
      until(async () => (await readInbox(world, friend)).length >= count, {
        within: ANSWERED_WITHIN,
      })
    const bot = startBot(world, device, own)
    try {
      await say('before')
      await waitForAnswers(1)
      await world.killAndRestart()
      await until(async () => (await world.callAs(device.token).get('/instance/status')).body.loggedIn, {
        within: 60_000,
      })
      await say('after')
      await waitForAnswers(2)
    } finally {
      bot.stop()
    }
    expect(await readInbox(world, friend)).toEqual(['You said: before', 'You said: after'])
  }, 330_000)
})
