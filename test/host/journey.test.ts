// An account's way through a host: linked, talking, restarted, unlinked.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

let world: World
const ANNA = '5511900000001'
const BEN = '5511900000002'

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test('a scanned QR links the device, and the states are reported in order', async () => {
  const instance = await world.linkPhone(ANNA)
  const states = world.edge.listStates(instance)
  expect(states.map(({ rev }) => rev)).toEqual([...states.map(({ rev }) => rev)].sort((a, b) => a - b))
  expect(
    states.some(
      ({ pairing }) => pairing?.method === 'qr' && pairing.qrcode.startsWith('data:image/png;base64,'),
    ),
  ).toBe(true)
  expect(world.findState(instance)).toMatchObject({
    status: 'connected',
    connected: true,
    loggedIn: true,
    jid: `${ANNA}@s.msgnet.net`,
    pairing: null,
  })
  expect(world.findState(instance)?.lid).toMatch(/^\d+@lid$/)
  const statuses = world.edge.listEvents(instance, 'connection').map(({ payload }) => payload.status)
  expect(statuses).toEqual(['connecting', 'connected'])
})

test('texts are sent and received, and receipts raise their status', async () => {
  const instance = await world.linkPhone('5511900000011')
  await world.createPhone(BEN, 'Ben')
  const text = createTextInput(BEN, 'hello Ben')
  const outcome = await world.edge.performAction(instance, 'message.sendText', {
    ...text,
    number: `${BEN}@s.msgnet.net`,
    track_id: 'order-7',
  })
  expect(outcome).toMatchObject({
    kind: 'done',
    result: {
      messageid: text.messageid,
      status: 'Sent',
      wasSentByApi: true,
      track_id: 'order-7',
      text: 'hello Ben',
    },
  })
  const inbox = await until(async () => {
    const { messages } = await world.sim<{ messages: unknown[] }>('GET', `/phones/${BEN}/inbox`)
    return messages.length > 0 && messages
  })
  expect(inbox).toMatchObject([{ id: text.messageid, text: 'hello Ben' }])
  await until(() => world.edge.listEvents(instance, 'messages_update').length > 0)
  await world.sim('POST', `/messages/${text.messageid}/receipt`, { by: BEN, type: 'read' })
  await until(() =>
    world.edge.listEvents(instance, 'messages_update').some(({ payload }) => payload.state === 'Read'),
  )

  const { id } = await world.sim<{ id: string }>('POST', '/messages', {
    from: BEN,
    to: '5511900000011',
    text: 'hello Anna',
  })
  const received = await until(() =>
    world.edge
      .listEvents(instance, 'messages')
      .find(({ payload }) => (payload.message as { messageid: string }).messageid === id),
  )
  expect(received.payload).toMatchObject({
    message: {
      text: 'hello Anna',
      fromMe: false,
      chatid: `${BEN}@s.msgnet.net`,
      sender_pn: `${BEN}@s.msgnet.net`,
      wasSentByApi: false,
    },
  })
  const own = world.edge
    .listEvents(instance, 'messages')
    .filter(({ payload }) => (payload.message as { fromMe: boolean }).fromMe)
  expect(own).toHaveLength(1)
})

test('a code typed on the phone links the device', async () => {
  const number = await world.createPhone('5511900000021')
  const instance = crypto.randomUUID()
  const outcome = await world.edge.performAction(instance, 'session.connect', { ...KIND, phone: number })
  if (outcome.kind !== 'done' || outcome.result.pairing?.method !== 'code')
    throw new Error(JSON.stringify(outcome))
  expect(outcome.result.pairing.code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
  await world.sim('POST', `/phones/${number}/code`, { code: outcome.result.pairing.code })
  expect(await world.waitUntilLoggedIn(instance)).toMatchObject({ jid: `${number}@s.msgnet.net` })
})

test('a restarted host logs its sessions in from its store', async () => {
  const instance = await world.linkPhone('5511900000031')
  const before = world.edge.reports.length
  await world.restartHost()
  await until(() =>
    world.edge.reports
      .slice(before)
      .some((report) => report.t === 'state' && report.instance === instance && report.state.loggedIn),
  )
  const { companions } = await world.sim('GET', '/phones/5511900000031')
  expect(companions).toHaveLength(1)
})
