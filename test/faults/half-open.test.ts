// A socket that stays open without any response: nothing is reported as done, and the device stays linked.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, readInbox, waitForMessage, causeFault } = await startScene({
  ACTION_TIMEOUT_MS: '3000',
})
const { caller, number } = device

test('requests on a half-open socket are 504, and a new socket has the same device', async () => {
  const friend = await createPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: number, text: 'unread' })
  const isFound = async () => (await caller.post('/message/find', { id })).body.messages.length === 1
  await until(isFound)
  const group = { name: 'Before', participants: [friend] }
  const groupjid = (await caller.post('/group/create', group)).body.JID

  await causeFault('half_open')
  const key = { 'idempotency-key': 'into-the-void' }
  const words = { number: friend, text: 'anybody?' }
  const responses = await Promise.all([
    caller.post('/send/text', words, key),
    caller.post('/message/react', { id, number: friend, text: '👍' }),
    caller.post('/message/presence', { number: friend, presence: 'composing' }),
    caller.post('/chat/read', { number: friend }),
    caller.post('/chat/check', { numbers: [friend] }),
    caller.post('/group/updateName', { groupjid, name: 'After' }),
    caller.post('/group/updateParticipants', { groupjid, action: 'promote', participants: [friend] }),
    caller.post('/group/updateImage', { groupjid, image: 'remove' }),
    caller.post('/group/info', { groupjid, force: true }),
  ])
  expect(responses.map(({ status, body }) => `${status} ${body.error}`)).toEqual(
    responses.map(() => '504 outcome_unknown'),
  )
  // Requests without the network still work.
  expect(await isFound()).toBe(true)

  await caller.post('/instance/restart')
  await until(async () => (await caller.get('/instance/status')).body.loggedIn)
  const { companions } = await world.sim('GET', `/phones/${number}`)
  expect(companions).toHaveLength(1)
  expect(await world.sim('GET', `/groups/${groupjid}`)).toMatchObject({ subject: 'Before' })
  expect((await caller.post('/chat/read', { number: friend })).body.marked).toBe(1)
  // The first never reached the network: its key returns what is known, without a request.
  expect((await caller.post('/send/text', words, key)).status).toBe(504)
  await caller.post('/send/text', { number: friend, text: 'now' })
  await waitForMessage(friend, ({ text }) => text === 'now')
  expect((await readInbox(friend)).map(({ text }) => text)).not.toContain('anybody?')
})
