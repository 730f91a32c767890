// Messages to a person whose list of devices is old here: the devices that were left out get them afterwards.

import { createHash } from 'node:crypto'
import { hashDevices } from '@msgnet/session-host/driver/baileys/messages/device-lists.ts'
import type { Ack, NetworkMessage } from '@msgnet/session-host/driver/driver.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const GATEWAY = '5511360000001'
const BEN = '5511360000002'

interface Seen {
  what: string
  id?: string
  /** Of a request. */
  child?: string
  readable?: boolean
}

const acks: Ack[] = []
let world: DriverWorld
let line: Line

beforeAll(async () => {
  world = await startDriver()
  await world.sim('POST', '/phones', { number: BEN })
  line = await world.connectInstance(await world.linkPhone(GATEWAY), { onAck: (ack) => void acks.push(ack) })
  await until(() => line.account)
})
afterAll(() => world.close())

const createDeadline = () => AbortSignal.timeout(20_000)
const listSent = async (id: string) =>
  (await world.sim<{ entries: Seen[] }>('GET', `/log?number=${GATEWAY}`)).entries.filter(
    (entry) => entry.what === 'message' && entry.id === id,
  ).length
/** The requests for keys with which sessions begin. */
const countKeyRequests = async () =>
  (await world.sim<{ entries: Seen[] }>('GET', `/log?number=${GATEWAY}`)).entries.filter(
    ({ child }) => child === 'key',
  ).length
const waitForMessage = async (number: string, messageid: string) =>
  (await world.sim<{ messages: { id: string }[] }>('GET', `/phones/${number}/inbox`)).messages.filter(
    ({ id }) => id === messageid,
  ).length

/** Another device of an account, and the texts that it gets. */
async function addDevice(number: string): Promise<NetworkMessage[]> {
  const messages: NetworkMessage[] = []
  const device = await world.connectInstance(await world.linkPhone(number), {
    onMessages: async (news) => void messages.push(...news),
  })
  await until(() => device.account)
  return messages
}

/** A device that is not reported to this host. */
async function addSecretDevice(number: string): Promise<NetworkMessage[]> {
  await world.sim('POST', '/faults', { kind: 'lost_notice', number: GATEWAY })
  const messages = await addDevice(number)
  await world.sim('DELETE', '/faults')
  return messages
}

async function sendContent(id: string, kind: 'text' | 'reaction' = 'text', to = `${BEN}@s.msgnet.net`) {
  const target = {
    messageid: 'KNOWN',
    fromMe: true,
    chatid: `${BEN}@s.msgnet.net`,
    sender: '',
    isGroup: false,
  }
  const content =
    kind === 'text' ? ({ kind, text: id } as const) : ({ kind, target, text: '👍', at: Date.now() } as const)
  const encoded = line.connection.encode(content)?.encoded ?? new Uint8Array()
  const outcome = await line.connection.send(id, to, encoded, createDeadline())
  expect(outcome).toEqual({ kind: 'done', value: undefined })
}

test('the hash of devices is that of six bytes over their sorted addresses', () => {
  const digest = createHash('sha256').update('1.0:0@lid1.0:12@lid20.0:3@s.whatsapp.net').digest('base64')
  expect(hashDevices(['20:3@s.whatsapp.net', '1:12@lid', '1@lid'])).toBe(`2:${digest.slice(0, 8)}`)
})

test('a message to a current list of devices is sent once', async () => {
  for (const id of ['KNOWN', 'KNOWN AGAIN']) await sendContent(id)
  await line.connection.confirmRead(createDeadline())
  expect([await listSent('KNOWN'), await listSent('KNOWN AGAIN')]).toEqual([1, 1])
})

test("a recipient's device that the list lacks reads the message, which is stored once", async () => {
  const messages = await addSecretDevice(BEN)
  await sendContent('LATE')
  await until(() => messages.some(({ messageid, text }) => messageid === 'LATE' && text === 'LATE'))
  await line.connection.confirmRead(createDeadline())
  expect([await listSent('LATE'), await waitForMessage(BEN, 'LATE')]).toEqual([2, 1])
  expect(acks.filter(({ messageid }) => messageid === 'LATE')).toEqual([{ messageid: 'LATE' }])
  await sendContent('THEN')
  await until(() => messages.some(({ messageid }) => messageid === 'THEN'))
  expect(await listSent('THEN')).toBe(1)
})

test('a device that has a session gets no other one when the list is requested again', async () => {
  await sendContent('BEFORE')
  const before = await countKeyRequests()
  const messages = await addSecretDevice(BEN)
  await sendContent('REQUESTED AGAIN')
  await until(() => messages.some(({ messageid }) => messageid === 'REQUESTED AGAIN'))
  expect((await countKeyRequests()) - before).toBe(1)
})

test('a device that the network announces is known in chats by LID too', async () => {
  const { lid } = await world.sim<{ lid: string }>('GET', `/phones/${BEN}`)
  await sendContent('BY LID', 'text', lid)
  const messages = await addDevice(BEN)
  await line.connection.confirmRead(createDeadline())
  await sendContent('TO ALL', 'text', lid)
  await until(() => messages.some(({ messageid }) => messageid === 'TO ALL'))
  await line.connection.confirmRead(createDeadline())
  expect(await listSent('TO ALL')).toBe(1)
})

test('a hosted device of a business reads what it is sent', async () => {
  const number = '5511360000003'
  await world.sim('POST', '/phones', { number, hosted: true })
  await sendContent('HOSTED', 'text', `${number}@s.msgnet.net`)
  await sendContent('HOSTED AGAIN', 'text', `${number}@s.msgnet.net`)
  const { entries } = await world.sim<{ entries: Seen[] }>('GET', `/log?number=${number}`)
  const read = entries.filter(({ what }) => what === 'hosted').map(({ id, readable }) => [id, readable])
  expect(read).toEqual([
    ['HOSTED', true],
    ['HOSTED AGAIN', true],
  ])
  expect([await listSent('HOSTED'), await waitForMessage(number, 'HOSTED')]).toEqual([1, 1])
})

test('an own device that the list lacks receives the copy that names the chat', async () => {
  const messages = await addSecretDevice(GATEWAY)
  await sendContent('COPY')
  const copy = await until(() => messages.find(({ messageid }) => messageid === 'COPY'))
  expect(copy).toMatchObject({ fromMe: true, text: 'COPY', chat: { pn: `${BEN}@s.msgnet.net` } })
})

test('a device that the list lacks receives a reaction as a reaction', async () => {
  const messages = await addSecretDevice(BEN)
  await sendContent('LIKE', 'reaction')
  const reaction = await until(() => messages.find(({ messageid }) => messageid === 'LIKE'))
  expect(reaction).toMatchObject({ type: 'reaction', text: '👍' })
})
