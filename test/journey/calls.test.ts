// A device for voice: it reports calls, rejects them, lists them, and does not handle messages.

import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { everyAction } from '../world.ts'

const scene = await borrowScene(everyAction, 'calls')
const { world, device } = scene

const waitForCall = async (callId: string, state: string): Promise<Seen> =>
  (await scene.waitForEvent('call', ({ event }) => event.CallID === callId && event.State === state)).event
const ringDevice = async (wish: object = {}): Promise<{ callId: string; from: string }> => {
  const from = await createPhone(world, 'Caller')
  const { callId } = await world.sim('POST', '/calls', { from, to: device.number, ...wish })
  await waitForCall(callId as string, 'offer')
  return { callId: callId as string, from }
}

test('the capabilities list calls', async () => {
  const { body } = await world.admin.get('/v1/capabilities')
  expect(body).toMatchObject({
    instance_kinds: ['msgnet', 'calls'],
    capabilities: { calls: true, callsOutbound: false },
  })
})

test.each(['pn', 'lid'])(
  'a call in %s addressing is reported with the number of the caller',
  async (addressing) => {
    const { callId, from } = await ringDevice({ video: true, addressing })
    const offer = await waitForCall(callId, 'offer')
    expect(offer).toMatchObject({ From: `${from}@s.msgnet.net`, IsVideo: true, IsGroup: false })
    await world.sim('POST', `/calls/${callId}/state`, { state: 'timeout' })
    expect(await waitForCall(callId, 'timeout')).toMatchObject({ Reason: 'timeout' })
  },
)

test('a rejected call is rejected on the network, reported and listed', async () => {
  const { callId } = await ringDevice()
  const rejected = await device.caller.post('/call/reject', { id: callId })
  expect(rejected).toMatchObject({ status: 200, body: { response: expect.any(String) } })
  expect(await world.sim('GET', `/calls/${callId}`)).toMatchObject({ state: 'reject' })
  await waitForCall(callId, 'reject')
  const { body } = await device.caller.get('/call/list')
  expect(body.calls[0]).toMatchObject({ CallID: callId, State: 'reject' })
})

test.each(['accept', 'timeout', 'terminate'])(
  'a call that rings no more (%s) is not rejected, and keeps its state',
  async (state) => {
    const { callId } = await ringDevice()
    await world.sim('POST', `/calls/${callId}/state`, { state })
    await waitForCall(callId, state)
    const refused = await device.caller.post('/call/reject', { id: callId })
    expect(refused).toMatchObject({ status: 422, body: { error: 'operation_refused' } })
    const { body } = await device.caller.get('/call/list')
    expect(body.calls[0]).toMatchObject({ CallID: callId, State: state })
  },
)

test('rejecting an unknown call is 400', async () => {
  const missing = await device.caller.post('/call/reject', { id: 'NOTHING' })
  expect(missing).toMatchObject({ status: 400, body: { error: 'invalid_id' } })
})

test('each state of a call is reported', async () => {
  const { callId, from } = await ringDevice()
  for (const state of ['accept', 'terminate']) {
    await world.sim('POST', `/calls/${callId}/state`, { state })
    const event = await waitForCall(callId, state)
    expect(event).toMatchObject({ CallID: callId, CallCreator: `${from}@s.msgnet.net`, State: state })
  }
})

test('only the last fifty calls are listed', async () => {
  const ids: unknown[] = []
  for (let call = 0; call < 51; call += 1) {
    const from = await createPhone(world)
    ids.push((await world.sim('POST', '/calls', { from, to: device.number })).callId)
  }
  const listCalls = async () => (await device.caller.get('/call/list')).body.calls as { CallID: string }[]
  await until(async () => (await listCalls())[0]?.CallID === ids.at(-1))
  expect((await listCalls()).map(({ CallID }) => CallID)).toEqual(ids.slice(1).reverse())
})

test('a calls instance cannot send messages, and a messages instance cannot take calls', async () => {
  const friend = await createPhone(world)
  const text = await device.caller.post('/send/text', { number: friend, text: 'hello' })
  expect(text).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  const other = await linkDevice(world, await createDevice(world))
  for (const response of [
    await other.caller.get('/call/list'),
    await other.caller.post('/call/reject', { id: 'x' }),
  ]) {
    expect(response).toMatchObject({ status: 409, body: { error: 'session_conflict' } })
  }
})

test('the simulated network knew every request', async () => {
  expect((await world.sim('GET', '/unknown')).requests).toEqual([])
})
