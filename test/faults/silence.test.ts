// "Refused" and "no answer" are different things: silence is 504, an unreachable network 502, a refusal carries its code.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkedDevice, link, makeDevice, makePhone } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World
let device: LinkedDevice

beforeAll(async () => {
  world = await startWorld({ ACTION_TIMEOUT_MS: '2500' })
  device = await link(world, await makeDevice(world))
})

afterAll(() => world.close())

test('a send that the network does not answer is a 504 that names the message, and the key never asks again', async () => {
  const friend = await makePhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'warm up' })
  await world.sim('POST', '/faults', { kind: 'silent', number: device.number, tag: 'message' })
  const key = { 'idempotency-key': 'quiet' }
  const answer = await device.caller.post('/send/text', { number: friend, text: 'anybody there?' }, key)
  expect(answer.status).toBe(504)
  expect(answer.body).toMatchObject({
    error: 'outcome_unknown',
    messageid: expect.stringMatching(/^[0-9A-F]{22}$/),
  })
  await world.sim('DELETE', '/faults')

  // The network had taken it, as the addressee's receipt tells: that is what the key answers from then on.
  const again = await until(async () => {
    const repeated = await device.caller.post('/send/text', { number: friend, text: 'anybody there?' }, key)
    return repeated.status === 200 && repeated
  })
  expect(again.body.messageid).toBe(answer.body.messageid)
  const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
  expect((messages as { text: string }[]).filter(({ text }) => text === 'anybody there?')).toHaveLength(1)
})

test('a logout that the network does not answer is not reported as confirmed', async () => {
  const other = await link(world, await makeDevice(world))
  await world.sim('POST', '/faults', { kind: 'silent', number: other.number, xmlns: 'md' })
  const gone = await other.caller.post('/instance/disconnect')
  await world.sim('DELETE', '/faults')
  expect(gone.status).toBe(200)
  expect(gone.body.unlinked).toBe(false)
})

test('a send that the network refuses is a 422 with the code of the network', async () => {
  const friend = await makePhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'warm up' })
  await world.sim('POST', '/faults', {
    kind: 'refuse',
    number: device.number,
    tag: 'message',
    code: 479,
    count: 1,
  })
  const answer = await device.caller.post('/send/text', { number: friend, text: 'no' })
  await world.sim('DELETE', '/faults')
  expect(answer.status).toBe(422)
  expect(answer.body).toMatchObject({ error: 'operation_refused', provider_code: 479 })
})

test('connect is 502 msgnet_unreachable while the network takes no connections, and works once it does', async () => {
  const fresh = await makeDevice(world)
  await world.sim('POST', '/faults', { kind: 'unreachable' })
  const answer = await fresh.caller.post('/instance/connect')
  expect(answer.status).toBe(502)
  expect(answer.body.error).toBe('msgnet_unreachable')
  const status = await fresh.caller.get('/instance/status')
  expect(status.body.instance).toMatchObject({ status: 'disconnected', lastDisconnectReason: 'unreachable' })

  await world.sim('DELETE', '/faults')
  expect((await fresh.caller.post('/instance/connect')).body.pairing.method).toBe('qr')
})
