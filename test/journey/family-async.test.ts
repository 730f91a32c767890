// Sends that nobody waits for, whose process ends or whose network falls silent: it is told that nobody knows, and later what became of it.

import { expect, test } from 'vitest'
import { connected, makeQuietPhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, told, shown, fault, endFaults } = await setScene()

const send = (body: object) => device.caller.post('/send/text', { ...body, async: true })
const find = async (id: string): Promise<Seen> =>
  (await device.caller.post('/message/find', { id })).body.messages[0]
const outcome = (messageid: string, state: string) =>
  told('messages_update', (envelope) => {
    const { type, event } = envelope
    return type === 'SendReceipt' && envelope.state === state && event.MessageIDs.includes(messageid)
  })
const outcomesOf = async (messageid: string): Promise<string[]> => {
  const { events } = (await device.caller.get('/v1/events?limit=100&afterSeq=0')).body
  return (events as Seen[])
    .filter(({ type, payload }) => type === 'messages_update' && payload.type === 'SendReceipt')
    .filter(({ payload }) => payload.event.MessageIDs.includes(messageid))
    .map(({ payload }) => payload.state)
}

test('a process that dies on the way leaves no send untold: nobody knows, and once it is known that is told too', async () => {
  const friend = await makeQuietPhone(world)
  await fault('lost_ack')
  const { status, body } = await send({ number: friend, text: 'through the night', track_id: 'night' })
  expect([status, body.status]).toEqual([200, 'Pending'])
  const { messageid } = body
  await shown(friend, ({ id }) => id === messageid)
  await world.killAndRestart()
  const unknown = await outcome(messageid, 'Pending')
  expect(unknown.event).toMatchObject({ Type: 'pending', error: 'outcome_unknown', IsFromMe: true })
  await connected(device)
  expect((await find(messageid)).status).toBe('Pending')

  // Another end of the process adds nothing to that.
  await world.killAndRestart()
  await connected(device)
  expect(await outcomesOf(messageid)).toEqual(['Pending'])

  await endFaults()
  await world.sim('POST', `/messages/${messageid}/receipt`, { by: friend, type: 'delivered' })
  expect((await outcome(messageid, 'Sent')).event.error).toBeUndefined()
  await until(async () => (await find(messageid)).status === 'Delivered')
  expect(await outcomesOf(messageid)).toEqual(['Pending', 'Sent'])
  expect(await world.sim('GET', `/phones/${friend}/inbox`)).toMatchObject({ messages: [{ id: messageid }] })
})

test('a send whose line breaks before the network has answered is told as unknown, and what it has become after', async () => {
  const friend = await makeQuietPhone(world)
  await fault('lost_ack')
  const { messageid } = (await send({ number: friend, text: 'cut off' })).body
  await shown(friend, ({ id }) => id === messageid)
  await fault('close', { count: 1 })
  expect((await outcome(messageid, 'Pending')).event.error).toBe('outcome_unknown')
  await endFaults()
  await world.sim('POST', `/messages/${messageid}/receipt`, { by: friend, type: 'delivered' })
  await outcome(messageid, 'Sent')
})
