// A history that no webhook gets: the host stores it, and stops reporting it when the edge has said so.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { findMessages, linkWithHistory, listPast, waitForHistory } from './history-stage.ts'
import { startWorld, type World } from './world.ts'

const OWNER = '5511340002201'
const BEN = '5511340002202'
/** Of 300 days: those of 90 days are the recent ones, in one chunk. */
const PAST = { chats: 2, messages: 6000, days: 300, with: [BEN] }
const RECENT = 1800
let world: World

beforeAll(async () => {
  world = await startWorld()
  for (const number of [OWNER, BEN]) await world.sim('POST', '/phones', { number })
})
afterAll(() => world.close())

test('of a chunk that no webhook gets the rest is stored without a report, and the next chunk is reported again', async () => {
  world.edge.isHistoryUnwanted = true
  await world.sim('POST', `/phones/${OWNER}/past`, PAST)
  const instance = await linkWithHistory(world, OWNER, 'recent')
  await waitForHistory(world, instance, 'complete')
  const reported = listPast(world, instance).length
  expect(reported).toBeGreaterThan(0)
  expect(reported).toBeLessThan(RECENT / 2)
  const chatid = `${BEN}@s.msgnet.net`
  expect(await findMessages(world, instance, { chatid, offset: RECENT / 2 - 101 })).toHaveLength(100)

  world.edge.isHistoryUnwanted = false
  await world.edge.performAction(instance, 'message.history', { number: chatid, count: 30 })
  await until(() => listPast(world, instance).length === reported + 30)
})
