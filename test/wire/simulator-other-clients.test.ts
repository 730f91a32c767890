// Requests of other clients that the library does not make: each was seen in one of them, and the network accepts it.

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

const buildNode = (
  tag: string,
  attrs: Record<string, string> = {},
  content?: BinaryNode['content'],
): BinaryNode => (content === undefined ? { tag, attrs } : { tag, attrs, content })
const buildIq = (xmlns: string, type: string, content?: BinaryNode['content']) =>
  buildNode('iq', { to: SERVER, xmlns, type }, content)

test('a client that never requests batches receives its backlog', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.post('/phones', { number: FRIEND })
  client.end()
  const isOnline = async () =>
    ((await world.get(`/phones/${NUMBER}`)).body.companions as { online: boolean }[])[0]?.online
  await until(async () => !(await isOnline()))
  const waiting = String((await world.post('/messages', { from: FRIEND, to: NUMBER, text: 'late' })).body.id)
  client.connect()
  client.socket.ws.removeAllListeners('CB:ib,,offline_preview')
  await client.waitUntilOpen()
  expect((await client.waitForText(waiting)).message?.conversation).toBe('late')
  const live = String((await world.post('/messages', { from: FRIEND, to: NUMBER, text: 'live' })).body.id)
  await client.waitForText(live)
})

test('a stream error is sent some time before the close', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const { ws } = client.socket
  // A client that waits for the network to close.
  ws.removeAllListeners('CB:stream:error')
  const open: boolean[] = []
  ws.on('CB:stream:error', async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    open.push(ws.isOpen)
  })
  await world.post('/faults', { kind: 'close', code: 515, number: NUMBER })
  await client.waitForClose()
  expect(open).toEqual([true])
})

test('a ping without a child gets a response', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  expect((await client.socket.query(buildIq('w:p', 'get'))).attrs).toMatchObject({ type: 'result' })
})

test('the parts of a key upload may come in any order', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const { registrationId, signedIdentityKey, signedPreKey } = client.auth.creds
  const keys = [9001, 9002].map((id) => xmppPreKey(Curve.generateKeyPair(), id))
  const upload = [
    buildNode('identity', {}, signedIdentityKey.public),
    xmppSignedPreKey(signedPreKey),
    buildNode('list', {}, keys),
    buildNode('type', {}, KEY_BUNDLE_TYPE),
    buildNode('registration', {}, encodeBigEndian(registrationId)),
  ]
  expect((await client.socket.query(buildIq('encrypt', 'set', upload))).attrs).toMatchObject({
    type: 'result',
  })
})

test.each(['g.us', '@g.us'])('a group is joined by its code through %s', async (to) => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.post('/phones', { number: FRIEND })
  const { jid } = (await world.post('/groups', { subject: 'Club', owner: FRIEND })).body
  const { invite } = (await world.get(`/groups/${jid}`)).body
  const join = buildIq('w:g2', 'set', [buildNode('invite', { code: String(invite) })])
  const response = await client.socket.query({ ...join, attrs: { ...join.attrs, to } })
  expect(getBinaryNodeChild(response, 'group')?.attrs.jid).toBe(jid)
})

test('stanzas that the network does not know end neither the stream nor the network', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const group = '120363000000000000@g.us'
  const bare = ['gibberish', 'ib', 'ack', 'presence', 'chatstate', 'notification', 'failure', 'error', 'w:p']
  const known = ['message', 'receipt', 'call', 'presence', 'chatstate', 'notification']
  const strange = [
    ...bare.map((tag) => buildNode(tag)),
    ...bare.map((tag) => buildNode(tag, { id: '1', to: SERVER, type: 'unheard-of' }, [buildNode('strange')])),
    ...known.map((tag) => buildNode(tag, { id: '2', to: group, type: 'strange' }, [buildNode('strange')])),
    ...known.map((tag) =>
      buildNode(tag, { id: '3', to: `1${SERVER}`, type: 'strange' }, [buildNode('strange')]),
    ),
    buildIq('w:g2', 'set', Buffer.from('no nodes')),
    buildIq('usync', 'get', [
      buildNode('usync', { sid: '1' }, [buildNode('query', {}, [buildNode('strange')]), buildNode('list')]),
    ]),
  ]
  for (const stanza of strange) {
    const id = `strange-${strange.indexOf(stanza)}`
    await client.socket.sendNode({
      ...stanza,
      attrs: { ...stanza.attrs, ...(stanza.tag === 'iq' && { id }) },
    })
  }
  expect((await client.socket.query(buildIq('w:p', 'get', [buildNode('ping')]))).attrs.type).toBe('result')
})
