// History and presence at webhooks beside the first: to those that name them, and for the chats that they choose.

import { afterAll, expect, test } from 'vitest'
import { createDevice, createPhone, linkWithPast, subscribeReceiver } from '../device.ts'
import { toPersonJid } from '../journey/endings/row.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { borrowStage, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const receivers = await Promise.all([startReceiver(), startReceiver()])
const [whole, ofGroups] = receivers as [Receiver, Receiver]
const { world, receiver } = await borrowStage()
afterAll(() => Promise.all(receivers.map((one) => one.close())))

const listTypes = ({ deliveries }: Receiver) => [
  ...new Set(deliveries.map(({ envelope }) => envelope.EventType)),
]

test('history and presence go to the webhooks that name them, and only of the chats that these choose', async () => {
  const fresh = await createDevice(world)
  await subscribeReceiver(fresh, receiver, ['messages'])
  const add = (body: object) =>
    fresh.caller.post('/v1/webhooks', { events: ['history', 'presence'], ...body })
  await add({ url: whole.url })
  await add({ url: ofGroups.url, chats: ['groups'] })
  const { caller, number } = await linkWithPast(world, fresh, { chats: 3, messages: 30 })
  const isHistory = ({ EventType, event }: Seen) => EventType === 'history' && event.messages.length > 0
  await whole.waitForDelivery(isHistory)

  const anna = await createPhone(world, 'Anna')
  const { id } = await world.sim('POST', '/messages', { from: anna, to: number, text: 'hello' })
  await until(async () => (await caller.post('/message/find', { id })).body.messages.length === 1)
  await caller.post('/instance/presence', { presence: 'available' })
  await caller.post('/chat/subscribe', { number: anna })
  await world.sim('POST', `/phones/${anna}/presence`, { state: 'composing', to: number })
  const isTyping = ({ EventType, event }: Seen) => EventType === 'presence' && event.state === 'composing'
  const { envelope } = await whole.waitForDelivery(isTyping)
  expect(envelope).toMatchObject({ seq: 0, event: { number: toPersonJid(anna) } })
  await receiver.waitForDelivery(({ message }: Seen) => message?.text === 'hello')
  expect(listTypes(whole).sort()).toEqual(['history', 'presence'])
  expect(listTypes(receiver)).toEqual(['messages'])
  expect(ofGroups.deliveries.filter(({ envelope }) => isHistory(envelope) || isTyping(envelope))).toEqual([])
})
