// What came of a request can be followed to its receiver: the caller's trace goes with every attempt to deliver it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPhone, createQuietPhone, waitUntilConnected } from '../device.ts'
import type { Delivery } from '../receiver.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const scene = await borrowScene()
const { caller, number } = scene.device
const friend = await createPhone(scene.world)

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const createTraceHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  traceparent: `00-${ID}-${PARENT}-01`,
})

/** The first delivery of this type that fits. */
const waitForDelivery = (type: string, matches: (envelope: Seen) => boolean): Promise<Delivery> =>
  scene.receiver.waitForDelivery((envelope) => envelope.EventType === type && matches(envelope))

const isOfMessage = (messageid: string) => (envelope: Seen) => envelope.message.messageid === messageid

async function sendText(text: string, headers: Record<string, string>): Promise<string> {
  const sent = await caller.post('/send/text', { number: friend, text }, headers)
  expect(sent.status).toBe(200)
  return sent.body.messageid
}

/** A span of the gateway in the caller's trace, with the caller's flags. */
const inTrace = new RegExp(`^00-${ID}-(?!${PARENT})(?!0{16})[0-9a-f]{16}-01$`)

/** Lines of the edge about attempts to deliver this event, once there are so many. */
const waitForAttempts = (event: string, count: number): Promise<Record<string, unknown>[]> =>
  until(() => {
    const whole = readFileSync(join(scene.world.dataDir, 'logs', 'edge.log'), 'utf8')
    const lines: Record<string, unknown>[] = whole
      .slice(0, whole.lastIndexOf('\n'))
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes(event))
      .map((line) => JSON.parse(line))
    const found = lines.filter((line) => line.msg === 'delivery attempted' && line.event === event)
    return found.length >= count && found
  })

test('events of what a request sent, changed and deleted have its trace, and its id is in the log of the delivery', async () => {
  const id = await sendText('good morning', createTraceHeaders('sent'))
  const sent = await waitForDelivery('messages', isOfMessage(id))
  expect(sent.headers.traceparent).toMatch(inTrace)
  expect(await waitForAttempts(sent.envelope.eventId, 1)).toMatchObject([{ requestId: 'sent', trace: ID }])

  expect(
    (await caller.post('/message/edit', { id, text: 'good evening' }, createTraceHeaders('edited'))).status,
  ).toBe(200)
  const edited = await waitForDelivery('messages_edit', ({ event }) => event.messageid === id)
  expect(edited.headers.traceparent).toMatch(inTrace)
  expect(await waitForAttempts(edited.envelope.eventId, 1)).toMatchObject([
    { requestId: 'edited', trace: ID },
  ])

  expect((await caller.post('/message/delete', { id }, createTraceHeaders('deleted'))).status).toBe(200)
  const deleted = await waitForDelivery(
    'messages_update',
    ({ state, event }) => state === 'Deleted' && event.MessageIDs.includes(id),
  )
  expect(deleted.headers.traceparent).toMatch(inTrace)
  expect(await waitForAttempts(deleted.envelope.eventId, 1)).toMatchObject([
    { requestId: 'deleted', trace: ID },
  ])
})

test('an event that no request caused has no trace', async () => {
  const { id } = await scene.world.sim('POST', '/messages', { from: friend, to: number, text: 'hello' })
  const received = await waitForDelivery('messages', isOfMessage(String(id)))
  expect(received.headers.traceparent).toBeUndefined()
  const [line] = await waitForAttempts(received.envelope.eventId, 1)
  expect(line).not.toHaveProperty('requestId')
  expect(line).not.toHaveProperty('trace')
})

test('a later attempt is a span of its own in the same trace', async () => {
  scene.receiver.status = 500
  const id = await sendText('twice', createTraceHeaders('tried-again'))
  const first = await waitForDelivery('messages', isOfMessage(id))
  scene.receiver.status = 204
  const [, second] = await until(() => {
    const all = scene.receiver.deliveries.filter(
      ({ headers }) => headers['webhook-id'] === first.envelope.eventId,
    )
    return all.length > 1 && all
  })
  expect(second?.body).toBe(first.body)
  const parents = [first, second].map((delivery) => delivery?.headers.traceparent)
  expect(parents).toEqual([expect.stringMatching(inTrace), expect.stringMatching(inTrace)])
  expect(new Set(parents).size).toBe(2)
  const lines = await waitForAttempts(first.envelope.eventId, 2)
  expect(lines.map(({ requestId, trace }) => [requestId, trace])).toEqual(
    lines.map(() => ['tried-again', ID]),
  )
})

test('an outcome that is resolved after the host was killed has the trace of the request that sent it', async () => {
  const { world } = scene
  const quiet = await createQuietPhone(world)
  await scene.causeFault('lost_ack', { count: 1 })
  const headers = { ...createTraceHeaders('killed'), prefer: 'wait=1' }
  const unknown = await caller.post('/send/text', { number: quiet, text: 'did it arrive?' }, headers)
  expect(unknown.status).toBe(504)
  const { messageid } = unknown.body
  const countLogins = async () => {
    const { entries } = await world.sim('GET', `/log?number=${number}`)
    return (entries as { what: string }[]).filter(({ what }) => what === 'login').length
  }
  const before = await countLogins()
  const host = world.run.parts['session host']
  if (!host) throw new Error('there is no host to kill')
  process.kill(host, 'SIGKILL')
  await until(async () => (await countLogins()) > before)
  await waitUntilConnected(scene.device)
  await world.sim('POST', `/messages/${messageid}/receipt`, { by: quiet, type: 'delivered' })
  const delivery = await waitForDelivery('messages', isOfMessage(messageid))
  expect(delivery.headers.traceparent).toMatch(inTrace)
  expect(await waitForAttempts(delivery.envelope.eventId, 1)).toMatchObject([
    { requestId: 'killed', trace: ID },
  ])
})

test('a test of the webhook is part of its request\u2019s trace', async () => {
  const tested = await caller.post('/webhook/test', {}, createTraceHeaders('tested'))
  expect(tested.body).toMatchObject({ delivered: true })
  const { headers } = await waitForDelivery('test', () => true)
  expect(headers.traceparent).toMatch(inTrace)
})

test('the trace that a request without one got is sent along', async () => {
  const id = await sendText('nobody traces', { 'x-request-id': 'untraced' })
  const { envelope, headers } = await waitForDelivery('messages', isOfMessage(id))
  const [line] = await waitForAttempts(envelope.eventId, 1)
  expect(line).toMatchObject({ requestId: 'untraced', trace: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(headers.traceparent?.split('-').slice(0, 2)).toEqual(['00', line?.trace])
  expect(headers.traceparent?.endsWith('-00')).toBe(true)
})
