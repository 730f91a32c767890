// Receipts, both ways.
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000021'
const FRIEND = '491700000022'
const CHAT = `${FRIEND}@s.whatsapp.net`

const DELIVERED = 3
const READ = 4
const PLAYED = 5

test('a phone marks received messages as delivered by itself; read and played are requested', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  const id = (await client.socket.sendMessage(CHAT, { text: 'hello' }))?.key.id ?? ''
  await client.waitForStatus(id, DELIVERED)
  await world.post(`/messages/${id}/receipt`, { by: FRIEND, type: 'read' })
  expect(await client.waitForStatus(id, READ)).toMatchObject({ remoteJid: CHAT, fromMe: true })
  await world.post(`/messages/${id}/receipt`, { by: FRIEND, type: 'played' })
  await client.waitForStatus(id, PLAYED)
})

test('a phone without automatic receipts sends none until one is requested', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND, autoReceipt: false })
  const id = (await client.socket.sendMessage(CHAT, { text: 'hello' }))?.key.id ?? ''
  await until(async () => (await world.readList(`/phones/${FRIEND}/inbox`, 'messages')).length === 1)
  await world.post(`/messages/${id}/receipt`, { by: FRIEND, type: 'read' })
  await client.waitForStatus(id, READ)
  const receipts = [
    ...client.updates.map((one) => one.update.status),
    ...client.messages.map((one) => one.status),
  ]
  expect(receipts).not.toContain(DELIVERED)
})

test('the receipts of a companion are listed under its number', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, text: 'read me' })
  const received = await client.waitForText(String(sent.body.id))
  await client.socket.readMessages([received.key])
  const receipts = await until(async () => {
    const listed = await world.readList(`/receipts?number=${GATEWAY}`, 'receipts')
    return listed.length === 2 && listed
  })
  const ids = [sent.body.id]
  const chat = `${FRIEND}@s.msgnet.net`
  expect(receipts).toMatchObject([
    { ids, chat, type: 'delivered' },
    { ids, chat, type: 'read' },
  ])
})

test('a read receipt of an account that did not receive the message is refused', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  await world.post('/phones', { number: '491700000023' })
  const id = (await client.socket.sendMessage(CHAT, { text: 'hello' }))?.key.id ?? ''
  await client.waitForStatus(id, DELIVERED)
  const sendReceipt = (by: string) => world.post(`/messages/${id}/receipt`, { by, type: 'read' })
  expect(await sendReceipt('491700000023')).toMatchObject({ status: 400, body: { field: 'by' } })
  expect((await sendReceipt('491799999999')).status).toBe(404)
  expect((await world.post('/messages/NONE/receipt', { by: FRIEND, type: 'read' })).status).toBe(404)
})
