// The chats of a webhook and the subscriptions of presence are found in every spelling that a send takes.

import { afterAll, expect, test } from 'vitest'
import { createDevice, createNumber, linkDevice } from '../device.ts'
import { toPersonJid } from '../journey/endings/row.ts'
import { startReceiver } from '../receiver.ts'
import { borrowStage, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const others = await Promise.all([startReceiver(), startReceiver()])
const [byForm, byLid] = others
const { world } = await borrowStage()
afterAll(() => Promise.all(others.map((one) => one.close())))

test.each([
  ['Brazil', '5511', '9', () => createNumber().slice(-8)],
  ['Mexico', '52', '1', () => `55${createNumber().slice(-8)}`],
  ['Argentina', '54', '9', () => `11${createNumber().slice(-8)}`],
])(
  'chats of a webhook match both forms of a number, and both ids: %s',
  async (_, before, inserted, create) => {
    const line = create().replace(/^1/, '8')
    const [registered, given] = [`${before}${line}`, `${before}${inserted}${line}`]
    const { lid } = await world.sim('POST', '/phones', { number: registered, name: 'Ana' })
    const { caller, number } = await linkDevice(world, await createDevice(world))
    const events = ['messages', 'messages_update', 'messages_edit', 'presence']
    await caller.post('/v1/webhooks', { url: byForm.url, events, chats: [given] })
    await caller.post('/v1/webhooks', { url: byLid.url, events, chats: [lid] })

    const { id } = await world.sim('POST', '/messages', { from: registered, to: number, text: 'hello' })
    const sent = await caller.post('/send/text', { number: given, text: 'good morning' })
    expect(sent.body.chatid).toBe(toPersonJid(registered))
    await caller.post('/instance/presence', { presence: 'available' })
    expect((await caller.post('/chat/subscribe', { number: given })).status).toBe(200)
    await world.sim('POST', `/phones/${registered}/presence`, { state: 'composing', to: number })
    for (const receiver of [byForm, byLid]) {
      await receiver.waitForDelivery(({ message }: Seen) => message?.messageid === id)
      await receiver.waitForDelivery(
        ({ EventType, event }: Seen) =>
          EventType === 'messages_update' && event.MessageIDs.includes(sent.body.messageid),
      )
      await receiver.waitForDelivery(
        ({ EventType, event }: Seen) =>
          EventType === 'presence' && event.number === toPersonJid(registered) && event.state === 'composing',
      )
    }
    // Another person is not meant.
    const other = createNumber()
    await world.sim('POST', '/phones', { number: other, name: 'Ben' })
    const stranger = await world.sim('POST', '/messages', { from: other, to: number, text: 'hi' })
    await until(
      async () => (await caller.post('/message/find', { id: stranger.id })).body.messages.length === 1,
    )
    const strange = others.flatMap(({ deliveries }) =>
      deliveries.filter(({ envelope }) => (envelope as Seen).message?.messageid === stranger.id),
    )
    expect(strange).toEqual([])
  },
)
