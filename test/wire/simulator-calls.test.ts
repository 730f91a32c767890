// Calls over the simulated network: ringing, accepting, rejecting, ending.
import type { WACallEvent } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000141'
const FRIEND = '491700000142'
const CHAT = `${FRIEND}@s.whatsapp.net`

async function openWorldWithCaller() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  return { world, client, calls: collectCalls(client) }
}

function collectCalls(client: Client): WACallEvent[] {
  const all: WACallEvent[] = []
  client.socket.ev.on('call', (events) => all.push(...events))
  return all
}

async function startCall(world: World, body: object = {}): Promise<string> {
  return String((await world.post('/calls', { from: FRIEND, to: GATEWAY, ...body })).body.callId)
}

test.each(['accept', 'reject', 'timeout', 'terminate'])(
  'a call rings, and companions are notified of its %s',
  async (state) => {
    const { world, calls } = await openWorldWithCaller()
    const id = await startCall(world, { video: true })
    await until(() => calls.length === 1)
    expect(calls[0]).toMatchObject({
      id,
      from: CHAT,
      chatId: CHAT,
      status: 'offer',
      isVideo: true,
      isGroup: false,
    })
    expect((await world.post(`/calls/${id}/state`, { state })).status).toBe(200)
    await until(() => calls.length === 2)
    expect(calls[1]).toMatchObject({ id, from: CHAT, status: state })
    expect((await world.get(`/calls/${id}`)).body).toMatchObject({
      callId: id,
      from: FRIEND,
      to: GATEWAY,
      state,
    })
    expect((await world.post(`/calls/${id}/state`, { state: 'timeout' })).status).toBe(409)
  },
)

test('a call between LIDs names the number too', async () => {
  const { world, calls } = await openWorldWithCaller()
  const { lid } = (await world.get(`/phones/${FRIEND}`)).body
  await startCall(world, { addressing: 'lid' })
  await until(() => calls.length === 1)
  expect(calls[0]).toMatchObject({ from: lid, callerPn: CHAT, isVideo: false })
})

test('a companion rejects: the network knows which, and the others stop ringing', async () => {
  const { world, client, calls } = await openWorldWithCaller()
  const sibling = await world.linkClient(GATEWAY)
  const others = collectCalls(sibling)
  const id = await startCall(world)
  await until(() => calls.length === 1 && others.length === 1)
  await client.socket.rejectCall(id, CHAT)
  expect((await world.get(`/calls/${id}`)).body).toMatchObject({ state: 'reject', rejectedBy: 1 })
  await until(() => others.length === 2)
  expect(others[1]).toMatchObject({ id, status: 'terminate' })
  const entries = await world.readList(`/log?number=${GATEWAY}`, 'entries')
  expect(entries.find(({ what }) => what === 'call')).toMatchObject({ did: 'reject', callId: id, device: 1 })
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a missed call is delivered as offline at the next login', async () => {
  const { world, client } = await openWorldWithCaller()
  client.end()
  await until(async () => JSON.stringify((await world.get(`/phones/${GATEWAY}`)).body).includes('false'))
  const id = await startCall(world)
  await world.post(`/calls/${id}/state`, { state: 'timeout' })
  client.connect()
  const calls = collectCalls(client)
  await until(() => calls.length === 2)
  expect(calls.map(({ status, offline }) => [status, offline])).toEqual([
    ['offer', true],
    ['timeout', true],
  ])
})

test('a call to an unknown account or to itself is refused, and so is rejecting an unknown call', async () => {
  const { world, client } = await openWorldWithCaller()
  expect((await world.post('/calls', { from: FRIEND, to: '491700000149' })).status).toBe(404)
  expect((await world.post('/calls', { from: FRIEND, to: FRIEND })).status).toBe(400)
  expect((await world.get('/calls/NONE')).status).toBe(404)
  const response = new Promise<string | undefined>((resolve) => {
    client.socket.ws.on('CB:ack,class:call', ({ attrs }: { attrs: Record<string, string> }) =>
      resolve(attrs.error),
    )
  })
  await client.socket.rejectCall('NONE', CHAT)
  expect(await response).toBe('404')
})
