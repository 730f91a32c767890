// Frames of a host are read the same by a look at their fields as by their schemas, whatever is wrong with them.

import { HostFrame, parseHostFrames } from '@msgnet/shared/wire/link-frames.ts'
import { expect, test } from 'vitest'
import * as z from 'zod'

const uuid = '3f0b8f5e-0c57-4d0b-9f1c-5f4d7a1b2c3d'
const event = {
  t: 'event',
  n: 7,
  instance: uuid,
  epoch: 2,
  id: uuid,
  type: 'messages',
  owner: '5511999999999',
  at: 1_795_331_142_414,
  payload: { message: { text: 'good morning', buttons: [] } },
}
const cause = { requestId: 'order-7', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
const state = {
  rev: 1,
  status: 'connected',
  connected: true,
  loggedIn: true,
  jid: '',
  lid: '',
  profileName: '',
  pairing: null,
  lastDisconnect: 0,
  lastDisconnectReason: '',
}
const frames: Record<string, unknown>[] = [
  { t: 'events', items: [event, { ...event, n: 8 }] },
  { t: 'events', items: [event, { t: 'state', n: 9, instance: uuid, epoch: 2, state }] },
  { t: 'events', items: [{ ...event, cause }, event] },
  { t: 'accepted', id: uuid },
  { t: 'not_started', id: uuid },
  { t: 'not_started', id: uuid, instance: uuid, never: true },
  { t: 'outcome', id: uuid, outcome: { kind: 'done', result: { messageid: 'A' } }, instance: uuid },
  { t: 'outcome', id: uuid, outcome: { kind: 'done', result: null }, instance: uuid },
  { t: 'outcome', id: uuid, outcome: { kind: 'refused', fault: 'not_connected' }, instance: uuid },
  { t: 'beat', sessions: 1, lag: 0.5, outbox: 0 },
]

/** What a host that is mistaken or hostile might put anywhere. */
// biome-ignore format: a list of short entries
const wrong: unknown[] = [
  undefined, null, true, '', 'x', 0, -1, 1, 1.5, 2 ** 53, '7', [], [null], {}, [event], 'messages',
  'no such event', uuid.toUpperCase(), `${uuid}\n`, '00000000-0000-0000-0000-000000000000',
  '3f0b8f5e-0c57-0d0b-9f1c-5f4d7a1b2c3d', '3f0b8f5e-0c57-4d0b-7f1c-5f4d7a1b2c3d', 'x'.repeat(100),
  'x'.repeat(300), JSON.parse('{"__proto__":{"x":1},"a":2}'), { kind: 'done' },
  { kind: 'done', result: null, more: 1 }, { kind: 'refused', fault: 'no such fault' }, { kind: 'unknown' },
  Array(201).fill(event),
]

/** Every value that is `value` but for one place, where something wrong stands, or for one field too many. */
function* generateMistakes(value: unknown): Generator<unknown> {
  yield* wrong
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const mistaken of generateMistakes(item)) yield value.with(at, mistaken)
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, more: 1 }
    for (const [field, inner] of Object.entries(value))
      for (const mistaken of generateMistakes(inner)) yield { ...value, [field]: mistaken }
  }
}

/** A report that says no time gets that of its reading. */
const parseWithoutTime = (text: string): unknown =>
  JSON.parse(text, (key, value) => (key === 'at' && value !== event.at ? 0 : value))

test('frames are parsed as their schema parses them, valid or not', () => {
  const schema = z.array(HostFrame)
  let read = 0
  for (const frame of frames) {
    expect(parseHostFrames(JSON.stringify([frame]))).toEqual([frame])
    for (const mistaken of generateMistakes(frame)) {
      const text = JSON.stringify([mistaken])
      const { data } = schema.safeParse(JSON.parse(text))
      const seen = parseHostFrames(text)
      expect(parseWithoutTime(JSON.stringify(seen ?? null)), text).toEqual(
        parseWithoutTime(JSON.stringify(data ?? null)),
      )
      read += Number(seen !== undefined)
    }
  }
  // Some of it is right after all.
  expect(read).toBeGreaterThan(100)
})

test('text that is no list of frames is rejected', () => {
  for (const text of ['', '{', '{}', 'null', '"x"', '[[]]', '[null]', '[{"t":"accepted"}]'])
    expect(parseHostFrames(text), text).toBeUndefined()
})
