// Message actions that the network refuses, does not answer, or cuts off: the response to the caller, and the later events.

import { expect, test } from 'vitest'
import { createDevice, createPhone, createQuietPhone, linkDevice, waitUntilConnected } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, waitForEvent, readInbox, waitForMessage, causeFault, endFaults } =
  await borrowScene({
    ACTION_TIMEOUT_MS: '4000',
  })

const sendText = async (number: string, text: string): Promise<string> =>
  (await device.caller.post('/send/text', { number, text })).body.messageid
const findMessage = async (id: string): Promise<Seen> =>
  (await device.caller.post('/message/find', { id })).body.messages[0]

test.each([
  [463, 422, 'operation_refused', null, 'reachout_timelock'],
  [429, 429, 'rate_limited', '30', 'rate_overlimit'],
])('an account limit (%i) is %i %s for its key too, and causes a limits event', async (...row) => {
  const [code, status, error, retryAfter, kind] = row
  const friend = await createPhone(world)
  const id = await sendText(friend, 'before')
  await causeFault('ack_error', { code, count: 1 })
  const refused = await device.caller.post('/message/edit', { id, text: 'after' })
  expect(refused.status).toBe(status)
  expect(refused.headers.get('retry-after')).toBe(retryAfter)
  expect(refused.body).toMatchObject({ error, provider_code: code, error_key: kind, error_source: 'network' })
  // The network's own words are for the log.
  expect(refused.body.message).toMatch(/^The network [a-z ]+\.$/)
  const { event } = await waitForEvent('limits', (envelope) => envelope.event.provider_code === code)
  expect(event).toMatchObject({ kind, active: true })
  expect(await findMessage(id)).toMatchObject({ text: 'before' })
  const words = { number: friend, text: 'refused', track_id: kind }
  await causeFault('ack_error', { code, count: 1 })
  await device.caller.post('/send/text', words)
  const { body } = await device.caller.post('/message/find', { track_id: kind })
  expect(body.messages).toMatchObject([{ text: 'refused', status: 'Failed', error: `${code}` }])
  await endFaults()
})

test('a send that the network refused as one too many may be repeated under its key', async () => {
  const friend = await createPhone(world)
  const body = { number: friend, text: 'once more' }
  const key = { 'idempotency-key': 'too-often' }
  await causeFault('ack_error', { code: 429, count: 1 })
  expect((await device.caller.post('/send/text', body, key)).status).toBe(429)
  const again = await device.caller.post('/send/text', body, key)
  expect(again.status).toBe(200)
  expect(again.headers.get('idempotency-replayed')).toBeNull()
  expect((await readInbox(friend)).filter(({ text }) => text === 'once more')).toHaveLength(1)
})

test('a number missing in the response of the network is 502, and the send may be repeated under its key', async () => {
  const friend = await createPhone(world)
  const body = { number: friend, text: 'is there somebody?' }
  const key = { 'idempotency-key': 'left-out' }
  await causeFault('leave_out', { whom: friend, xmlns: 'usync' })
  const left = await device.caller.post('/send/text', body, key)
  expect(left).toMatchObject({
    status: 502,
    body: { error: 'msgnet_unreachable', error_key: 'lookup_incomplete' },
  })
  await endFaults()
  const again = await device.caller.post('/send/text', body, key)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
})

test('a message without any device to encrypt for is 422, and its key repeats that response', async () => {
  const friend = await createPhone(world)
  const body = { number: friend, text: 'sealed for nobody' }
  const key = { 'idempotency-key': 'sealed' }
  await causeFault('leave_out', { whom: friend, xmlns: 'encrypt' })
  const failed = await device.caller.post('/send/text', body, key)
  expect(failed).toMatchObject({
    status: 422,
    body: { error: 'operation_refused', error_key: 'encryption_failed' },
  })
  await endFaults()
  const again = await device.caller.post('/send/text', body, key)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([422, 'true'])
  expect(await readInbox(friend)).toEqual([])
})

test('a query that the network refuses as one too many is 429, and causes a limits event', async () => {
  const { body } = await device.caller.get('/v1/events?limit=1')
  await causeFault('refuse', { xmlns: 'usync', code: 429, count: 1 })
  const refused = await device.caller.post('/chat/check', { numbers: [await createPhone(world)] })
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited', provider_code: 429 } })
  const after = body.events[0]?.seq ?? 0
  await until(async () => {
    const { events } = (await device.caller.get(`/v1/events?afterSeq=${after}`)).body
    return events.find(
      ({ type, payload }: Seen) => type === 'limits' && payload.event.kind === 'rate_overlimit',
    )
  })
})

test('the length of a group name is counted in characters, and a name that the network refuses is 422', async () => {
  const [friend, name] = [await createPhone(world), '👋'.repeat(100)]
  const made = await device.caller.post('/group/create', { name, participants: [friend] })
  expect(made.status).toBe(200)
  const groupjid = made.body.JID
  await causeFault('refuse', { tag: 'subject', code: 406, count: 1 })
  const refused = await device.caller.post('/group/updateName', { groupjid, name: 'Not this one' })
  expect(refused).toMatchObject({
    status: 422,
    body: { error: 'operation_refused', provider_code: 406 },
  })
  const info = await device.caller.post('/group/info', { groupjid })
  expect(info.body).toMatchObject({ Name: name })
})

test.each([401, 403, 404])(
  'a refusal (%i) of a request without a group is 422, and does not mention a group',
  async (code) => {
    const founding = { name: 'Not to be', participants: [await createPhone(world)] }
    const refused = { status: 422, body: { error: 'operation_refused', provider_code: code } }
    await causeFault('refuse', { xmlns: 'w:g2', code })
    expect(await device.caller.post('/group/create', founding)).toMatchObject(refused)
    expect(await device.caller.get('/group/list?force=1')).toMatchObject(refused)
    await endFaults()
  },
)

test('a send without an ack is confirmed as soon as a receipt proves it', async () => {
  const friend = await createPhone(world)
  await causeFault('lost_ack', { count: 1 })
  const sent = await device.caller.post('/send/text', { number: friend, text: 'proven' })
  expect(sent).toMatchObject({ status: 200, body: { text: 'proven' } })
  await waitForMessage(friend, ({ id }) => id === sent.body.messageid)
})

test('a failed send creates no chat, a successful one does', async () => {
  const friend = await createPhone(world)
  const listChats = async () => (await device.caller.post('/chat/find', { limit: 100 })).body.chats
  const isFriend = ({ id }: Seen) => id === `${friend}@s.msgnet.net`
  await causeFault('ack_error', { code: 479, count: 1 })
  expect((await device.caller.post('/send/text', { number: friend, text: 'no' })).status).toBe(422)
  expect((await listChats()).some(isFriend)).toBe(false)
  const id = await sendText(friend, 'yes')
  expect((await listChats()).find(isFriend)).toMatchObject({ lastMessageId: id })
})

test('an @lid without an account is not on the network', async () => {
  const missing = await device.caller.post('/send/text', { number: '98765432101234@lid', text: 'hello?' })
  expect(missing).toMatchObject({ status: 422, body: { error: 'not_on_network' } })
})

test('an edit without a response is a 504 with its id, and its key has the result once it is known', async () => {
  const friend = await createQuietPhone(world)
  const id = await sendText(friend, 'first')
  await causeFault('lost_ack', { count: 1 })
  const key = { 'idempotency-key': 'edit-1' }
  const body = { id, text: 'second' }
  const response = await device.caller.post('/message/edit', body, key)
  expect(response).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })
  await endFaults()
  // The receipt of the recipient proves that it arrived.
  await world.sim('POST', `/messages/${response.body.messageid}/receipt`, { by: friend, type: 'delivered' })
  await until(async () => ['Sent', 'Delivered'].includes((await findMessage(response.body.messageid)).status))
  expect(await findMessage(id)).toMatchObject({ text: 'second' })
  const again = await until(async () => {
    const repeated = await device.caller.post('/message/edit', body, key)
    return repeated.status === 200 && repeated
  })
  expect(again.body).toMatchObject({ messageid: response.body.messageid, edited: id })
  expect((await readInbox(friend)).filter(({ type }) => type === 'edit')).toHaveLength(1)
})

test('a deletion is unknown when the connection drops, and an event reports it once the network confirms it', async () => {
  const friend = await createQuietPhone(world)
  const id = await sendText(friend, 'stay')
  await causeFault('lost_ack', { count: 1 })
  const deletion = device.caller.post('/message/delete', { id })
  await waitForMessage(friend, ({ type }) => type === 'revoke')
  await causeFault('close')
  const { status, body } = await deletion
  expect([status, body.messageid]).toEqual([504, expect.any(String)])
  await endFaults()
  await waitUntilConnected(device)
  await world.sim('POST', `/messages/${body.messageid}/receipt`, { by: friend, type: 'delivered' })
  await until(async () => (await findMessage(id)).status === 'Deleted')
})

test('nothing is sent without a session, and a missing message is still not found', async () => {
  const other = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world)
  await other.caller.post('/instance/disconnect')
  const offline = await other.caller.post('/send/location', { number: friend, latitude: 1, longitude: 1 })
  expect(offline).toMatchObject({ status: 409, body: { error: 'not_connected' } })
  const missing = await other.caller.post('/message/delete', { id: '3EB0NOTHING' })
  expect(missing).toMatchObject({ status: 404, body: { error: 'message_not_found' } })
  const answering = { number: friend, text: 're', replyid: '3EB0NOTHING' }
  const never = await createDevice(world)
  for (const { caller } of [other, never]) {
    for (const [path, body] of [
      ['/message/delete', { id: '3EB0NOTHING' }],
      ['/message/download', { id: '3EB0NOTHING' }],
      ['/send/text', answering],
    ] as const)
      expect(await caller.post(path, body)).toMatchObject({
        status: 404,
        body: { error: 'message_not_found' },
      })
  }
})

test('a restart without a linked account is 409, and does not end a pairing in progress', async () => {
  const fresh = await createDevice(world)
  const restartInstance = async () => (await fresh.caller.post('/instance/restart')).body.error
  expect(await restartInstance()).toBe('not_connected')
  const { pairing } = (await fresh.caller.post('/instance/connect')).body
  expect(await restartInstance()).toBe('not_connected')
  expect((await fresh.caller.get('/instance/status')).body.pairing.qr).toBe(pairing.qr)
  const linked = await linkDevice(world, fresh)
  expect((await linked.caller.post('/instance/restart')).status).toBe(200)
  await waitUntilConnected(linked)
  await linked.caller.post('/instance/disconnect')
  expect(await restartInstance()).toBe('not_connected')
})

test('a message that the network delivers twice is reported once, and not as unreadable', async () => {
  const friend = await createPhone(world)
  await causeFault('duplicate')
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'twice' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'twice, changed' })
  await waitForEvent('messages_edit', ({ event }) => event.messageid === id)
  await endFaults()
  // Later news come after what the repetition caused.
  const next = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'afterwards' })
  await waitForEvent('messages', ({ message }) => message.messageid === next.id)
  const about = receiver.deliveries.filter(({ body }) => body.includes(`"${id}"`))
  expect(about.map(({ envelope }) => envelope.EventType)).toEqual(['messages', 'messages_edit'])
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
