// Newer code speaks with the older link: hosts of the version before are served, and what one side does not know does no harm.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { OLDEST_WIRE, parseHostFrames, WIRE } from '../../shared/wire/frames.ts'
import type { Answer } from '../caller.ts'
import { makeDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { connectedState } from './host-stand-in.ts'
import { type Dialled, dial, type Frame, missing, play, recorded } from './older-wire.ts'

let world: World
const links: Dialled[] = []

const dialled = async () => {
  const link = await dial(world)
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

const wires = Array.from({ length: WIRE - OLDEST_WIRE + 1 }, (_, n) => OLDEST_WIRE + n)

test.each(wires)(
  'a host that speaks wire %i is served as it was by an edge of its own version',
  async (wire) => {
    const lines = recorded(wire)
    const link = await dialled()
    const device = await makeDevice(world)
    const number = '5511910000001'
    const { caller } = device
    const asks: Record<string, () => Promise<Answer>> = {
      'session.connect': () => caller.post('/instance/connect'),
      'message.sendText': () => caller.post('/send/text', { number, text: 'to the friend' }),
      'message.find': () => caller.post('/message/find', { track_id: 'none' }),
      'chat.check': () => caller.post('/chat/check', { numbers: [number] }),
      'group.list': () => caller.get('/group/list'),
      'session.disconnect': () => caller.post('/instance/disconnect'),
      'session.delete': () => world.admin.delete(`/v1/instances/${device.id}`),
    }
    let types: string[] = []
    const answers = await play(lines, link, device.id, async (action) => {
      const ask = asks[action]
      if (!ask) throw new Error(`nobody asks for ${action}`)
      // All that was told is kept by now, and soon it is deleted.
      if (action === 'session.disconnect')
        types = (await caller.get('/v1/events')).body.events.map(({ type }: { type: string }) => type)
      return ask()
    })
    expect(answers.map(({ status }) => status)).toEqual(Object.keys(asks).map(() => 200))
    expect(new Set(types)).toEqual(new Set(['connection', 'messages', 'messages_update']))

    const before = lines.flatMap(({ from, frames }) => (from === 'edge' ? frames : []))
    expect(new Set(link.heard.map(({ t }) => t))).toEqual(new Set(before.map(({ t }) => t)))
    for (const now of link.heard) {
      const then = before.find(({ t, action }) => t === now.t && action === now.action)
      expect(missing(then, now), `${now.t} ${now.action ?? ''}`).toEqual([])
    }
  },
)

test.each(wires)('every frame that a host of wire %i says is read whole', (wire) => {
  for (const { from, frames } of recorded(wire))
    if (from === 'host') expect(parseHostFrames(JSON.stringify(frames))).toEqual(frames)
})

const hello = (more: object = {}) => ({
  ...{
    t: 'hello',
    wire: WIRE,
    boot: crypto.randomUUID(),
    store: crypto.randomUUID(),
    slots: 1,
    sessions: [],
  },
  ...more,
})

test('what a newer host adds to its frames is passed over', async () => {
  const link = await dialled()
  link.send(hello({ colour: 'green' }))
  await link.next(({ t }) => t === 'welcome')
  link.send({ t: 'beat', sessions: 0, lag: 0, outbox: 0, mood: { good: true } })
  await link.next(({ t }) => t === 'beaten')
})

test('a kind of frame that the edge does not know ends the link, and the reason names it', async () => {
  const link = await dialled()
  link.send(hello())
  await link.next(({ t }) => t === 'welcome')
  link.send({ t: 'wish', for: 'something new' })
  expect(await until(() => link.closed)).toEqual({
    code: 4003,
    reason: 'a frame of kind wish is not known here',
  })
})

test.each([
  [WIRE + 1, `this edge is older (wire ${WIRE}): it is upgraded before its hosts`],
  [OLDEST_WIRE - 1, `this edge speaks wire ${OLDEST_WIRE} to ${WIRE}`],
])('a host that speaks wire %i only is sent away with the reason', async (wire, reason) => {
  const link = await dialled()
  link.send(hello({ wire }))
  expect(await until(() => link.closed)).toEqual({ code: 4001, reason })
  expect(link.heard).toEqual([])
})

/** A device, by its id, on a host that keeps a message of it and can tell of it what `knows` says. */
async function onHostThat(knows: (what: string) => boolean): Promise<string> {
  const link = await dialled()
  const { id, caller } = await makeDevice(world)
  link.answer(({ action, input }) => {
    if (action !== 'session.export')
      return { kind: 'done', result: connectedState('5511600000001@s.msgnet.net') }
    if (!knows(input.what))
      return {
        kind: 'refused',
        fault: 'invalid_body',
        message: 'The session host does not read this request.',
      }
    const rows = input.what === 'message' ? [{ messageid: 'one', type: 'text' }] : []
    return { kind: 'done', result: { rows, next: null } }
  })
  link.send(hello())
  const { host } = await link.next(({ t }) => t === 'welcome')
  // Those of other tests have hung up, and nobody may have noticed yet.
  const { hosts } = (await world.admin.get('/v1/hosts')).body
  for (const { id } of hosts) if (id !== host) await world.admin.post(`/v1/hosts/${id}/drain`)
  expect((await caller.post('/instance/connect')).status).toBe(200)
  return id
}

const exportOf = async (id: string): Promise<Frame[]> => {
  const { status, text } = await world.admin.get(`/v1/instances/${id}/export`)
  expect(status, text).toBe(200)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('an export from a host that does not know yet who is blocked is whole but for that, and its last line says so', async () => {
  const id = await onHostThat((what) => what !== 'blocked')
  const lines = await exportOf(id)
  expect(lines.map(({ type }) => type)).toEqual(['message', 'instance', 'proxy', 'webhook', 'end'])
  expect(lines.at(-1)).toEqual({
    ...{ type: 'end', missing: ['blocked'] },
    counts: { message: 1, instance: 1, proxy: 1, webhook: 1 },
  })
})

test('an export that misses nothing does not speak of it', async () => {
  const id = await onHostThat(() => true)
  expect((await exportOf(id)).at(-1)).toEqual({
    type: 'end',
    counts: { message: 1, instance: 1, proxy: 1, webhook: 1 },
  })
})
