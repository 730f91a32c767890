// Message actions that the network refuses, does not answer, or is cut off in: what the caller is told, then and later.

import { expect, test } from 'vitest'
import { link, makeDevice, makePhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, told, inbox, shown, fault, endFaults } = await setScene({
  ACTION_TIMEOUT_MS: '4000',
})

const sendText = async (number: string, text: string): Promise<string> =>
  (await device.caller.post('/send/text', { number, text })).body.messageid
const find = async (id: string): Promise<Seen> =>
  (await device.caller.post('/message/find', { id })).body.messages[0]

test.each([
  [463, 'reachout_timelock'],
  [429, 'rate_overlimit'],
])('a limit of the account (%i) is 422 with its key, %s, and a limits event', async (code, kind) => {
  const friend = await makePhone(world)
  const id = await sendText(friend, 'before')
  await fault('ack_error', { code, count: 1 })
  const refused = await device.caller.post('/message/edit', { id, text: 'after' })
  expect(refused.status).toBe(422)
  expect(refused.body).toMatchObject({
    error: 'operation_refused',
    provider_code: code,
    error_key: kind,
    error_source: 'network',
  })
  const { event } = await told('limits', (envelope) => envelope.event.provider_code === code)
  expect(event).toMatchObject({ kind, active: true })
  expect(await find(id)).toMatchObject({ text: 'before' })
  const words = { number: friend, text: 'refused', track_id: kind }
  await fault('ack_error', { code, count: 1 })
  await device.caller.post('/send/text', words)
  const { body } = await device.caller.post('/message/find', { track_id: kind })
  expect(body.messages).toMatchObject([{ text: 'refused', status: 'Failed', error: `${code}` }])
  await endFaults()
})

test('an edit nobody answered is a 504 that names it, and once it is known to be sent the key answers that', async () => {
  const friend = await makePhone(world)
  const id = await sendText(friend, 'first')
  await fault('lost_ack', { count: 1 })
  const key = { 'idempotency-key': 'edit-1' }
  const body = { id, text: 'second' }
  const answer = await device.caller.post('/message/edit', body, key)
  expect(answer).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })
  await endFaults()
  // The addressee's own receipt tells that it arrived.
  await until(async () => ['Sent', 'Delivered'].includes((await find(answer.body.messageid)).status))
  expect(await find(id)).toMatchObject({ text: 'second' })
  const again = await until(async () => {
    const repeated = await device.caller.post('/message/edit', body, key)
    return repeated.status === 200 && repeated
  })
  expect(again.body).toMatchObject({ messageid: answer.body.messageid, edited: id })
  expect((await inbox(friend)).filter(({ type }) => type === 'edit')).toHaveLength(1)
})

test('a connection that drops under a deletion leaves it unknown, and what the network took is told later', async () => {
  const friend = await makePhone(world)
  const id = await sendText(friend, 'stay')
  await fault('lost_ack', { count: 1 })
  const deletion = device.caller.post('/message/delete', { id })
  await shown(friend, ({ type }) => type === 'revoke')
  await fault('close')
  expect(await deletion).toMatchObject({ status: 504, body: { messageid: expect.any(String) } })
  await endFaults()
  await until(async () => (await find(id)).status === 'Deleted')
})

test('without a session nothing is sent, and a message that is not there is still not found', async () => {
  const other = await link(world, await makeDevice(world))
  const friend = await makePhone(world)
  await other.caller.post('/instance/disconnect')
  const offline = await other.caller.post('/send/location', { number: friend, latitude: 1, longitude: 1 })
  expect(offline).toMatchObject({ status: 409, body: { error: 'not_connected' } })
  const lost = await other.caller.post('/message/delete', { id: '3EB0NOTHING' })
  expect(lost).toMatchObject({ status: 404, body: { error: 'message_not_found' } })
})

test('what the network brings twice is told once, and is not called unreadable', async () => {
  const friend = await makePhone(world)
  await fault('duplicate')
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'twice' })
  await told('messages', ({ message }) => message.messageid === id)
  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'twice, changed' })
  await told('messages_edit', ({ event }) => event.messageid === id)
  await endFaults()
  // Later news stand behind whatever the repetition made of itself.
  const later = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'afterwards' })
  await told('messages', ({ message }) => message.messageid === later.id)
  const about = receiver.deliveries.filter(({ body }) => body.includes(`"${id}"`))
  expect(about.map(({ envelope }) => envelope.EventType)).toEqual(['messages', 'messages_edit'])
})

test('the simulated network met no request that it does not know', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
