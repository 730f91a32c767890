// The forms of stanzas and messages in which the newest clients send them.

import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const GATEWAY = '5511370000001'
const ANNA = '5511370000002'
const CHAT = `${ANNA}@s.msgnet.net`

let world: DriverWorld
let line: Line

beforeAll(async () => {
  world = await startDriver()
  await world.sim('POST', '/phones', { number: ANNA })
  line = await world.connectInstance(await world.linkPhone(GATEWAY))
  await until(() => line.account)
})
afterAll(() => world.close())

const createDeadline = () => AbortSignal.timeout(20_000)
const readLog = async (what: string) =>
  (await world.sim<{ entries: Record<string, unknown>[] }>('GET', `/log?number=${GATEWAY}`)).entries.filter(
    (entry) => entry.what === what,
  )
const encodeContent = (content: Parameters<Line['connection']['encode']>[0]) =>
  line.connection.encode(content)?.encoded ?? new Uint8Array()
const own = { messageid: 'DRAFT', fromMe: true, chatid: CHAT, sender: '', isGroup: false }

test('typing and recording do not name their sender', async () => {
  for (const state of ['composing', 'recording', 'paused'] as const) {
    expect(await line.connection.showPresence(CHAT, state, createDeadline())).toMatchObject({ kind: 'done' })
  }
  await line.connection.confirmRead(createDeadline())
  const states = await readLog('chatstate')
  expect(states.map(({ state, to, from }) => [state, to, from])).toEqual([
    ['composing', CHAT, undefined],
    ['recording', CHAT, undefined],
    ['paused', CHAT, undefined],
  ])
})

test('an edit is sent in the envelope that clients expect, and phones show it', async () => {
  const text = encodeContent({ kind: 'text', text: 'draft' })
  await line.connection.send('DRAFT', CHAT, text, createDeadline())
  const edit = encodeContent({ kind: 'edit', target: own, encoded: text, text: 'final', at: Date.now() })
  const { editedMessage, protocolMessage } = proto.Message.decode(edit)
  expect(protocolMessage).toBeFalsy()
  expect(editedMessage?.message?.protocolMessage).toMatchObject({
    key: { id: 'DRAFT', fromMe: true },
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage: { extendedTextMessage: { text: 'final' } },
  })
  await line.connection.send('FINAL', CHAT, edit, createDeadline())
  const { messages } = await world.sim<{ messages: object[] }>('GET', `/phones/${ANNA}/inbox`)
  expect(messages.at(-1)).toMatchObject({ type: 'edit', target: 'DRAFT', text: 'final' })
  const marks = (await readLog('message')).map(({ id, edit: mark }) => [id, mark])
  expect(marks).toEqual([
    ['DRAFT', undefined],
    ['FINAL', '1'],
  ])
})

test('a group is created with its subject alone', async () => {
  expect(await line.connection.groups.createGroup('New', [CHAT], createDeadline())).toMatchObject({
    kind: 'done',
  })
  const created = (await readLog('iq')).find(({ xmlns, child }) => xmlns === 'w:g2' && child === 'create')
  expect(created?.attrs).toEqual({ subject: 'New' })
})
