// The posted form of an event.

import { type EnvelopeSource, formatEnvelope } from '@msgnet/edge/dialect/envelope.ts'
import { expect, test } from 'vitest'

const event: EnvelopeSource = {
  id: 'a6b1b4b0-6f0f-4b52-9f5e-0a4a1ed0b7aa',
  instanceId: '0d6fcd36-6a3e-4a1c-8a58-6b9f3d1f4b11',
  seq: 7,
  type: 'messages',
  owner: '5511999990000',
  at: 1_790_000_000_000,
  payload: { message: { text: 'olá' }, chat: { id: 'c', name: 'n', isGroup: false } },
}
const formatText = (source: EnvelopeSource) => new TextDecoder().decode(formatEnvelope(source, 'shop'))

test('a message is posted with the envelope\u2019s fields first and its own after them', () => {
  expect(formatText(event)).toBe(
    '{"EventType":"messages","eventId":"a6b1b4b0-6f0f-4b52-9f5e-0a4a1ed0b7aa","seq":7,' +
      '"instanceId":"0d6fcd36-6a3e-4a1c-8a58-6b9f3d1f4b11","instanceName":"shop","owner":"5511999990000",' +
      '"timestamp":1790000000000,"message":{"text":"olá"},"chat":{"id":"c","name":"n","isGroup":false}}',
  )
})

test('the same event gives the same bytes each time', () => {
  expect(formatEnvelope(event, 'shop')).toEqual(formatEnvelope(structuredClone(event), 'shop'))
})

test('a connection event has the instance', () => {
  const payload = { status: 'disconnected', lastDisconnectReason: 'logged_out' }
  const posted = JSON.parse(formatText({ ...event, type: 'connection', payload }))
  expect(posted.instance).toEqual({ id: event.instanceId, name: 'shop', ...payload })
})

test('a payload cannot replace the envelope\u2019s fields', () => {
  const posted = JSON.parse(formatText({ ...event, payload: { seq: 1, eventId: 'x', EventType: 'call' } }))
  expect(posted).toMatchObject({ seq: 7, eventId: event.id, EventType: 'messages' })
})
