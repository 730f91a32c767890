// A socket that stays open without any response: nothing is reported as done, and the device stays linked.

import { expect, test } from 'vitest'
import type { ApiResponse } from '../caller.ts'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, readInbox, waitForMessage, causeFault } = await borrowScene({
  ACTION_TIMEOUT_MS: '3000',
})
const { caller, number } = device

test('on a half-open socket questions are 502, acts 504 once something was written, and a new socket has the same device', async () => {
  const friend = await createPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: number, text: 'unread' })
  const isFound = async () => (await caller.post('/message/find', { id })).body.messages.length === 1
  await until(isFound)
  const group = { name: 'Before', participants: [friend] }
  const groupjid = (await caller.post('/group/create', group)).body.JID

  await causeFault('half_open')
  const key = { 'idempotency-key': 'into-the-void' }
  const words = { number: friend, text: 'anybody?' }
  // To a person who was not written to before: their devices are asked for first.
  const prepared = await Promise.all([
    caller.post('/send/text', words, key),
    caller.post('/message/react', { id, number: friend, text: '👍' }),
  ])
  const acts = await Promise.all([
    caller.post('/message/presence', { number: friend, presence: 'composing' }),
    caller.post('/chat/read', { number: friend }),
    caller.post('/group/updateName', { groupjid, name: 'After' }),
    caller.post('/group/updateParticipants', { groupjid, action: 'promote', participants: [friend] }),
    caller.post('/group/updateImage', { groupjid, image: 'remove' }),
  ])
  const questions = await Promise.all([
    caller.post('/chat/check', { numbers: [friend] }),
    caller.post('/group/info', { groupjid, force: true }),
  ])
  const readOutcomes = (answers: ApiResponse[]) =>
    new Set(answers.map(({ status, body }) => `${status} ${body.error}`))
  expect(readOutcomes(prepared)).toEqual(new Set(['502 msgnet_unreachable']))
  expect(readOutcomes(acts)).toEqual(new Set(['504 outcome_unknown']))
  expect(readOutcomes(questions)).toEqual(new Set(['502 msgnet_unreachable']))
  // Requests without the network still work.
  expect(await isFound()).toBe(true)

  await caller.post('/instance/restart')
  await until(async () => (await caller.get('/instance/status')).body.loggedIn)
  const { companions } = await world.sim('GET', `/phones/${number}`)
  expect(companions).toHaveLength(1)
  expect(await world.sim('GET', `/groups/${groupjid}`)).toMatchObject({ subject: 'Before' })
  expect((await caller.post('/chat/read', { number: friend })).body.marked).toBe(1)
  // Nothing of the first was sent, so its key is free.
  expect((await caller.post('/send/text', words, key)).status).toBe(200)
  await caller.post('/send/text', { number: friend, text: 'now' })
  await waitForMessage(friend, ({ text }) => text === 'now')
  expect((await readInbox(friend)).filter(({ text }) => text === 'anybody?')).toHaveLength(1)
})
