// Newer code speaks with the older link: hosts of the version before are served, and what one side does not know does no harm.

import { MIN_WIRE_VERSION, parseHostFrames, WIRE_VERSION } from '@msgnet/shared/wire/link-frames.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ApiResponse, createPlainCaller } from '../caller.ts'
import { createDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Dialled, dialEdge, listMissing, playLines, readRecorded } from './older-wire.ts'

let world: World
const links: Dialled[] = []

const openLink = async () => {
  const link = await dialEdge(world)
  links.push(link)
  return link
}

beforeAll(async () => {
  world = await startWorld()
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
})
afterEach(() => {
  for (const link of links.splice(0)) link.hangUp()
})
afterAll(() => world.close())

const wires = Array.from({ length: WIRE_VERSION - MIN_WIRE_VERSION + 1 }, (_, n) => MIN_WIRE_VERSION + n)

test.each(wires)('a host of wire %i is served as by an edge of its own version', async (wire) => {
  const lines = readRecorded(wire)
  const link = await openLink()
  const device = await createDevice(world)
  const number = '5511910000001'
  // The records of an older host lack the fields that came later.
  const caller = createPlainCaller(world.run.baseUrl, { token: device.token })
  const wish = { name: 'Confined', scope: 'send', chats: [number] }
  const { token } = (await caller.post('/instance/tokens', wish)).body
  const confined = createPlainCaller(world.run.baseUrl, { token })
  const requests: Record<string, () => Promise<ApiResponse>> = {
    'session.connect': () => caller.post('/instance/connect'),
    async 'message.sendText'() {
      // It would not keep to the chats of the token.
      const refused = await confined.post('/send/text', { number, text: 'by a scoped token' })
      expect([refused.status, refused.body.error]).toEqual([409, 'session_conflict'])
      return caller.post('/send/text', { number, text: 'to the friend' })
    },
    'message.find': () => caller.post('/message/find', { track_id: 'none' }),
    'chat.check': () => caller.post('/chat/check', { numbers: [number] }),
    'group.list': () => caller.get('/group/list'),
    'session.disconnect': () => caller.post('/instance/disconnect'),
    'session.delete': () => world.admin.delete(`/v1/instances/${device.id}`),
  }
  let types: string[] = []
  const responses = await playLines(lines, link, device.id, async (action) => {
    const sendRequest = requests[action]
    if (!sendRequest) throw new Error(`nobody asks for ${action}`)
    // All that was reported is stored by now, and is deleted soon.
    if (action === 'session.disconnect')
      types = (await caller.get('/v1/events')).body.events.map(({ type }: { type: string }) => type)
    return sendRequest()
  })
  expect(responses.map(({ status }) => status)).toEqual(Object.keys(requests).map(() => 200))
  expect(new Set(types)).toEqual(new Set(['connection', 'messages', 'messages_update']))

  const before = lines.flatMap(({ from, frames }) => (from === 'edge' ? frames : []))
  expect(new Set(link.received.map(({ t }) => t))).toEqual(new Set(before.map(({ t }) => t)))
  for (const now of link.received) {
    const then = before.find(({ t, action }) => t === now.t && action === now.action)
    expect(listMissing(then, now), `${now.t} ${now.action ?? ''}`).toEqual([])
  }
})

test.each(wires)('every frame of a host of wire %i is parsed without loss', (wire) => {
  for (const { from, frames } of readRecorded(wire))
    if (from === 'host') expect(parseHostFrames(JSON.stringify(frames))).toEqual(frames)
})

const createHello = (more: object = {}) => ({
  t: 'hello',
  wire: WIRE_VERSION,
  boot: crypto.randomUUID(),
  store: crypto.randomUUID(),
  slots: 1,
  sessions: [],
  ...more,
})

test('unknown fields in frames of a newer host are ignored', async () => {
  const link = await openLink()
  link.sendFrames(createHello({ colour: 'green' }))
  await link.waitForFrame(({ t }) => t === 'welcome')
  link.sendFrames({ t: 'beat', sessions: 0, lag: 0, outbox: 0, mood: { good: true } })
  await link.waitForFrame(({ t }) => t === 'beaten')
})

test('an unknown kind of frame closes the link with a reason that names it', async () => {
  const link = await openLink()
  link.sendFrames(createHello())
  await link.waitForFrame(({ t }) => t === 'welcome')
  link.sendFrames({ t: 'wish', for: 'something new' })
  expect(await until(() => link.closed)).toEqual({
    code: 4003,
    reason: 'a frame of kind wish is not known here',
  })
})

test.each([
  [WIRE_VERSION + 1, `this edge is older (wire ${WIRE_VERSION}): it is upgraded before its hosts`],
  [MIN_WIRE_VERSION - 1, `this edge speaks wire ${MIN_WIRE_VERSION} to ${WIRE_VERSION}`],
])('a host of wire %i is rejected with the reason', async (wire, reason) => {
  const link = await openLink()
  link.sendFrames(createHello({ wire }))
  expect(await until(() => link.closed)).toEqual({ code: 4001, reason })
  expect(link.received).toEqual([])
})
