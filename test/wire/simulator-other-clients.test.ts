// What other clients of the network do and the library does not: each was seen in one of them, and the network takes it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type BinaryNode,
  Curve,
  encodeBigEndian,
  getBinaryNodeChild,
  KEY_BUNDLE_TYPE,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000061'
const FRIEND = '491700000062'
const SERVER = '@s.whatsapp.net'

const node = (
  tag: string,
  attrs: Record<string, string> = {},
  content?: BinaryNode['content'],
): BinaryNode => (content === undefined ? { tag, attrs } : { tag, attrs, content })
const iq = (xmlns: string, type: string, content?: BinaryNode['content']) =>
  node('iq', { to: SERVER, xmlns, type }, content)

test('stanzas flow to a client that never asks for its batches', async () => {
  const world = await World.open()
  const client = await world.linked(NUMBER)
  await world.post('/phones', { number: FRIEND })
  client.end()
  const online = async () =>
    ((await world.get(`/phones/${NUMBER}`)).body.companions as { online: boolean }[])[0]?.online
  await until(async () => !(await online()))
  const waiting = String((await world.post('/messages', { from: FRIEND, to: NUMBER, text: 'late' })).body.id)
  client.connect()
  client.socket.ws.removeAllListeners('CB:ib,,offline_preview')
  await client.opened()
  expect((await client.text(waiting)).message?.conversation).toBe('late')
  const live = String((await world.post('/messages', { from: FRIEND, to: NUMBER, text: 'live' })).body.id)
  await client.text(live)
})

test('a stream error comes before the close, and not with it', async () => {
  const world = await World.open()
  const client = await world.linked(NUMBER)
  const { ws } = client.socket
  // A client that leaves the closing to the network.
  ws.removeAllListeners('CB:stream:error')
  const open: boolean[] = []
  ws.on('CB:stream:error', async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    open.push(ws.isOpen)
  })
  await world.post('/faults', { kind: 'close', code: 515, number: NUMBER })
  await client.closed()
  expect(open).toEqual([true])
})

test('a ping without a child is answered', async () => {
  const world = await World.open()
  const client = await world.linked(NUMBER)
  expect((await client.socket.query(iq('w:p', 'get'))).attrs).toMatchObject({ type: 'result' })
})

test('the parts of a key upload may come in any order', async () => {
  const world = await World.open()
  const client = await world.linked(NUMBER)
  const { registrationId, signedIdentityKey, signedPreKey } = client.auth.creds
  const keys = [9001, 9002].map((id) => xmppPreKey(Curve.generateKeyPair(), id))
  const upload = [
    node('identity', {}, signedIdentityKey.public),
    xmppSignedPreKey(signedPreKey),
    node('list', {}, keys),
    node('type', {}, KEY_BUNDLE_TYPE),
    node('registration', {}, encodeBigEndian(registrationId)),
  ]
  expect((await client.socket.query(iq('encrypt', 'set', upload))).attrs).toMatchObject({ type: 'result' })
})

test.each(['g.us', '@g.us'])('a group is joined by its code through %s', async (to) => {
  const world = await World.open()
  const client = await world.linked(NUMBER)
  await world.post('/phones', { number: FRIEND })
  const { jid } = (await world.post('/groups', { subject: 'Club', owner: FRIEND })).body
  const { invite } = (await world.get(`/groups/${jid}`)).body
  const join = iq('w:g2', 'set', [node('invite', { code: String(invite) })])
  const answer = await client.socket.query({ ...join, attrs: { ...join.attrs, to } })
  expect(getBinaryNodeChild(answer, 'group')?.attrs.jid).toBe(jid)
})

test('stanzas that the network does not know end neither the stream nor the network', async () => {
  const world = await World.open()
  const client = await world.linked(NUMBER)
  const group = '120363000000000000@g.us'
  const bare = ['gibberish', 'ib', 'ack', 'presence', 'chatstate', 'notification', 'failure', 'error', 'w:p']
  const known = ['message', 'receipt', 'call', 'presence', 'chatstate', 'notification']
  const strange = [
    ...bare.map((tag) => node(tag)),
    ...bare.map((tag) => node(tag, { id: '1', to: SERVER, type: 'unheard-of' }, [node('strange')])),
    ...known.map((tag) => node(tag, { id: '2', to: group, type: 'strange' }, [node('strange')])),
    ...known.map((tag) => node(tag, { id: '3', to: `1${SERVER}`, type: 'strange' }, [node('strange')])),
    iq('w:g2', 'set', Buffer.from('no nodes')),
    iq('usync', 'get', [node('usync', { sid: '1' }, [node('query', {}, [node('strange')]), node('list')])]),
  ]
  for (const stanza of strange) {
    const id = `strange-${strange.indexOf(stanza)}`
    await client.socket.sendNode({
      ...stanza,
      attrs: { ...stanza.attrs, ...(stanza.tag === 'iq' && { id }) },
    })
  }
  expect((await client.socket.query(iq('w:p', 'get', [node('ping')]))).attrs.type).toBe('result')
})
