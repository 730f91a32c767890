// "Refused" and "no answer" are different things: silence is 504, an unreachable network 502, a refusal carries its code.
// @module-tag slow

import { expect, test } from 'vitest'
import { createDevice, createPhone, createQuietPhone, linkDevice, waitUntilConnected } from '../device.ts'
import { startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, readInbox, causeFault, endFaults } = await startScene({ ACTION_TIMEOUT_MS: '2500' })

test('a send that the network does not answer is 504 with the message id, and its key never sends again', async () => {
  const friend = await createQuietPhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'warm up' })
  await causeFault('silent', { tag: 'message' })
  const key = { 'idempotency-key': 'quiet' }
  const response = await device.caller.post('/send/text', { number: friend, text: 'anybody there?' }, key)
  expect(response.status).toBe(504)
  expect(response.body).toMatchObject({
    error: 'outcome_unknown',
    messageid: expect.stringMatching(/^[0-9A-F]{22}$/),
  })
  await endFaults()

  // The receipt of the recipient proves that the network had it, and the key returns that from then on.
  await world.sim('POST', `/messages/${response.body.messageid}/receipt`, { by: friend, type: 'delivered' })
  const again = await until(async () => {
    const repeated = await device.caller.post('/send/text', { number: friend, text: 'anybody there?' }, key)
    return repeated.status === 200 && repeated
  })
  expect(again.body.messageid).toBe(response.body.messageid)
  expect((await readInbox(friend)).filter(({ text }) => text === 'anybody there?')).toHaveLength(1)
})

test('a logout without an answer of the network is not reported as confirmed', async () => {
  const other = await linkDevice(world, await createDevice(world))
  await world.sim('POST', '/faults', { kind: 'silent', number: other.number, xmlns: 'md' })
  const gone = await other.caller.post('/instance/disconnect')
  await endFaults()
  expect(gone.status).toBe(200)
  expect(gone.body.unlinked).toBe(false)
})

test.each([
  ['POST', '/instance/disconnect'],
  ['DELETE', '/instance'],
])('%s %s is not reported as confirmed when the network refuses it or hangs up', async (method, path) => {
  const refused = await linkDevice(world, await createDevice(world))
  await causeFault('refuse', { number: refused.number, xmlns: 'md', code: 500, count: 1 })
  expect((await refused.caller.request(method, path, {})).body.unlinked).toBe(false)

  const cut = await linkDevice(world, await createDevice(world))
  // Pairing has some of them too, and what a device requests after its login may come after the logout.
  const countRequests = async () => {
    const { entries } = await world.sim('GET', `/log?number=${cut.number}`)
    return (entries as { xmlns?: string }[]).filter(({ xmlns }) => xmlns === 'md').length
  }
  const before = await countRequests()
  await causeFault('silent', { number: cut.number, xmlns: 'md', count: 1 })
  const response = cut.caller.request(method, path, {})
  await until(async () => (await countRequests()) > before)
  await causeFault('close', { number: cut.number })
  expect((await response).body.unlinked).toBe(false)
})

test('restart is 502 msgnet_unreachable while the network accepts no connections, and the session reconnects by itself', async () => {
  const linked = await linkDevice(world, await createDevice(world))
  await causeFault('unreachable', { number: linked.number })
  const restarted = await linked.caller.post('/instance/restart')
  expect(restarted).toMatchObject({ status: 502, body: { error: 'msgnet_unreachable' } })
  const { body } = await linked.caller.get('/instance/status')
  expect(body).toMatchObject({ loggedIn: false, instance: { lastDisconnectReason: 'unreachable' } })
  await endFaults()
  await waitUntilConnected(linked)
})

test('a send that the network refuses is 422 with the code of the network', async () => {
  const friend = await createPhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'warm up' })
  await causeFault('refuse', { tag: 'message', code: 479, count: 1 })
  const response = await device.caller.post('/send/text', { number: friend, text: 'no' })
  await endFaults()
  expect(response.status).toBe(422)
  expect(response.body).toMatchObject({ error: 'operation_refused', provider_code: 479 })
})

test('connect is 502 msgnet_unreachable while the network accepts no connections, and works afterwards', async () => {
  const fresh = await createDevice(world)
  await world.sim('POST', '/faults', { kind: 'unreachable' })
  const response = await fresh.caller.post('/instance/connect')
  expect(response.status).toBe(502)
  expect(response.body.error).toBe('msgnet_unreachable')
  const status = await fresh.caller.get('/instance/status')
  expect(status.body.instance).toMatchObject({ status: 'disconnected', lastDisconnectReason: 'unreachable' })

  await endFaults()
  expect((await fresh.caller.post('/instance/connect')).body.pairing.method).toBe('qr')
})
