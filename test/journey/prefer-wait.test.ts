// A caller that limits its wait: `Prefer: wait=N`, and the outcome of its request.
// @module-tag slow

import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createDevice, createPhone, createQuietPhone, linkDevice } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, readInbox, waitForMessage, waitForEvent, causeFault, endFaults } = await borrowScene()

const applied = 'preference-applied'
const repeatUntilKnown = (path: string, body: object, key: object) =>
  until(async () => {
    const response = await device.caller.post(path, body, { ...key })
    return response.status === 200 && response
  })

test('a send that outlasts the wait of its caller is 504, continues, and its key has the result', async () => {
  const friend = await createQuietPhone(world)
  await causeFault('slow', { tag: 'message', ms: 2500, count: 1 })
  const body = { number: friend, text: 'no hurry' }
  const key = { 'idempotency-key': 'patience' }
  const early = await device.caller.post('/send/text', body, { ...key, prefer: 'respond-async, wait=1' })
  expect(early).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })
  expect(early.headers.get(applied)).toBe('wait=1')
  const response = await repeatUntilKnown('/send/text', body, key)
  expect(response.body.messageid).toBe(early.body.messageid)
  expect(response.headers.get('idempotency-replayed')).toBe('true')
  expect(await readInbox(friend)).toHaveLength(1)
})

test('a send that fails after its caller has gone is reported, and its key tells the same', async () => {
  await causeFault('slow', { xmlns: 'usync', ms: 2500, count: 1 })
  const body = { number: '5511999990000', text: 'to nobody' }
  const key = { 'idempotency-key': 'gone' }
  const early = await device.caller.post('/send/text', body, { ...key, prefer: 'wait=1' })
  expect(early).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })
  const { messageid } = early.body
  const { state, event } = await waitForEvent('messages_update', (one) =>
    one.event.MessageIDs.includes(messageid),
  )
  expect([state, event.Type, event.error]).toEqual(['Failed', 'failed', '404'])
  const { messages } = (await device.caller.post('/message/find', { id: messageid })).body
  expect(messages).toMatchObject([{ status: 'Failed', error: '404' }])
  const again = await device.caller.post('/send/text', body, key)
  expect([again.status, again.body.error]).toEqual([422, 'not_on_network'])
})

test('a send that succeeds after its caller has gone is reported as one without a waiting caller', async () => {
  const friend = await createQuietPhone(world)
  await causeFault('slow', { xmlns: 'usync', ms: 2500, count: 1 })
  const body = { number: friend, text: 'later' }
  const early = await device.caller.post('/send/text', body, { prefer: 'wait=1' })
  expect(early.status).toBe(504)
  const { messageid } = early.body
  const { state, event } = await waitForEvent('messages_update', (one) =>
    one.event.MessageIDs.includes(messageid),
  )
  expect([state, event.Type]).toEqual(['Sent', 'sent'])
  expect(await readInbox(friend)).toHaveLength(1)
})

test('a file arrives whole when its caller did not wait', async () => {
  const friend = await createQuietPhone(world)
  const bytes = randomBytes(3_000_000)
  await causeFault('slow', { xmlns: 'w:m', ms: 2500, count: 1 })
  const body = { number: friend, type: 'document', file: bytes.toString('base64') }
  const key = { 'idempotency-key': 'file' }
  expect((await device.caller.post('/send/media', body, { ...key, prefer: 'wait=1' })).status).toBe(504)
  const { messageid } = (await repeatUntilKnown('/send/media', body, key)).body
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(await waitForMessage(friend, ({ id }) => id === messageid)).toMatchObject({ mediaSha256: sha256 })
})

test('a question that outlasts the wait of its caller is 502: nothing of it can be unknown', async () => {
  const { body: group } = await device.caller.post('/group/create', {
    name: 'Shop',
    participants: [await createPhone(world)],
  })
  const questions: [string, string, object?][] = [
    ['POST', '/chat/check', { numbers: ['5511999990001'] }],
    ['POST', '/group/info', { groupjid: group.JID, force: true }],
    ['GET', '/group/list?force=true'],
    ['GET', '/profile/about'],
    ['GET', '/instance/privacy'],
  ]
  await causeFault('slow', { ms: 2500 })
  const ask = async ([method, path, body]: (typeof questions)[number]) => {
    const response = await device.caller.request(method, path, body, { prefer: 'wait=1' })
    return [path, response.status, response.body.error, response.headers.get(applied)]
  }
  const answers = await Promise.all(questions.map(ask))
  await endFaults()
  expect(answers).toEqual(questions.map(([, path]) => [path, 502, 'msgnet_unreachable', 'wait=1']))
})

test('an unneeded wait costs nothing, and an invalid one is ignored', async () => {
  const number = await createPhone(world)
  const requestWith = async (prefer: string) => {
    const response = await device.caller.post('/chat/check', { numbers: [number] }, { prefer })
    expect(response.status).toBe(200)
    return response.headers.get(applied)
  }
  expect(await requestWith('wait=20')).toBe('wait=20')
  expect(await requestWith('handling=lenient, WAIT = "45"; strict')).toBe('wait=45')
  for (const none of ['wait=0', 'wait=46', 'wait=-1', 'wait=1.5', 'wait', 'wait=soon', 'await=3', ','])
    expect(await requestWith(none)).toBeNull()
})

test('connect responds within the wait with the state at that time', async () => {
  const fresh = await createDevice(world)
  const response = await fresh.caller.post('/instance/connect', {}, { prefer: 'wait=2' })
  expect(response).toMatchObject({ status: 200, body: { loggedIn: false } })
  expect(response.headers.get(applied)).toBe('wait=2')
  await fresh.caller.post('/instance/disconnect')
})

test.each([
  ['does not wait for a network that says nothing', {}],
  ['waits still less when it is asked to', { prefer: 'wait=2' }],
])('disconnect %s: 200, unlinked false', { timeout: 20_000 }, async (_, headers) => {
  const other = await linkDevice(world, await createDevice(world))
  await causeFault('silent', { number: other.number, xmlns: 'md' })
  const response = await other.caller.post('/instance/disconnect', {}, headers)
  expect(response).toMatchObject({ status: 200, body: { unlinked: false, jid: '' } })
  await endFaults()
})
