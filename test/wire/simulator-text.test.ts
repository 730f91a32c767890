// Text between phones and linked companions, over the simulated network.
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000001'
const FRIEND = '491700000002'

test('a companion that is linked by QR code receives and sends text', async () => {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  await world.post('/phones', { number: FRIEND, name: 'Friend' })
  const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'hello' })
  const received = await client.text(String(sent.body.id))
  expect(received.message?.conversation).toBe('hello')
  expect(received.pushName).toBe('Friend')
  await client.socket.sendMessage(`${FRIEND}@s.whatsapp.net`, { text: 'hi there' })
  const inbox = await until(async () => {
    const messages = await world.list(`/phones/${FRIEND}/inbox`, 'messages')
    return messages.length > 0 && messages
  })
  expect(inbox).toMatchObject([{ text: 'hi there', from: `${GATEWAY}@s.msgnet.net`, type: 'text' }])
  expect(await world.list('/unknown', 'requests')).toEqual([])
})
