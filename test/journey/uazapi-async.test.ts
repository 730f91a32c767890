// Async sends whose process ends or whose network does not respond: reported as unknown, and later with their result.
// @module-tag slow

import { expect, test } from 'vitest'
import { createQuietPhone, waitUntilConnected } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, waitForMessage, causeFault, endFaults } = await startScene()

const sendLater = (body: object) => device.caller.post('/send/text', { ...body, async: true })
const findMessage = async (id: string): Promise<Seen> =>
  (await device.caller.post('/message/find', { id })).body.messages[0]
const waitForOutcome = (messageid: string, state: string) =>
  waitForEvent('messages_update', (envelope) => {
    const { type, event } = envelope
    return type === 'SendReceipt' && envelope.state === state && event.MessageIDs.includes(messageid)
  })
const listOutcomes = async (messageid: string): Promise<string[]> => {
  const { events } = (await device.caller.get('/v1/events?limit=100&afterSeq=0')).body
  return (events as Seen[])
    .filter(({ type, payload }) => type === 'messages_update' && payload.type === 'SendReceipt')
    .filter(({ payload }) => payload.event.MessageIDs.includes(messageid))
    .map(({ payload }) => payload.state)
}

test('a send during a kill is reported as unknown, and its result is reported once it is known', async () => {
  const friend = await createQuietPhone(world)
  await causeFault('lost_ack')
  const { status, body } = await sendLater({ number: friend, text: 'through the night', track_id: 'night' })
  expect([status, body.status]).toEqual([200, 'Pending'])
  const { messageid } = body
  await waitForMessage(friend, ({ id }) => id === messageid)
  await world.killAndRestart()
  const unknown = await waitForOutcome(messageid, 'Pending')
  expect(unknown.event).toMatchObject({ Type: 'pending', error: 'outcome_unknown', IsFromMe: true })
  await waitUntilConnected(device)
  expect((await findMessage(messageid)).status).toBe('Pending')

  // Another end of the process adds nothing to that.
  await world.killAndRestart()
  await waitUntilConnected(device)
  expect(await listOutcomes(messageid)).toEqual(['Pending'])

  await endFaults()
  await world.sim('POST', `/messages/${messageid}/receipt`, { by: friend, type: 'delivered' })
  expect((await waitForOutcome(messageid, 'Sent')).event.error).toBeUndefined()
  await until(async () => (await findMessage(messageid)).status === 'Delivered')
  expect(await listOutcomes(messageid)).toEqual(['Pending', 'Sent'])
  expect(await world.sim('GET', `/phones/${friend}/inbox`)).toMatchObject({ messages: [{ id: messageid }] })
})

test('a send whose connection drops is reported as unknown, and its result is reported afterwards', async () => {
  const friend = await createQuietPhone(world)
  await causeFault('lost_ack')
  const { messageid } = (await sendLater({ number: friend, text: 'cut off' })).body
  await waitForMessage(friend, ({ id }) => id === messageid)
  await causeFault('close', { count: 1 })
  expect((await waitForOutcome(messageid, 'Pending')).event.error).toBe('outcome_unknown')
  await endFaults()
  await world.sim('POST', `/messages/${messageid}/receipt`, { by: friend, type: 'delivered' })
  await waitForOutcome(messageid, 'Sent')
})
