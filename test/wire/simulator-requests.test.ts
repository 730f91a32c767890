// Requests that the network refuses, and messages that it does not accept.
// @module-tag slow
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildBuffer, getBinaryNodeChildren } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000051'
const FRIEND = '491700000052'
const SERVER = '@s.whatsapp.net'

const buildIq = (xmlns: string, type: string, ...content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { to: SERVER, xmlns, type },
  content,
})
const buildNode = (
  tag: string,
  attrs: Record<string, string> = {},
  content?: BinaryNode['content'],
): BinaryNode => (content === undefined ? { tag, attrs } : { tag, attrs, content })

const forgedKey = buildNode('skey', {}, [
  buildNode('id', {}, Buffer.from([0, 0, 9])),
  buildNode('value', {}, Buffer.alloc(32, 1)),
  buildNode('signature', {}, Buffer.alloc(64, 1)),
])

test.each([
  [
    'a signed pre-key that the identity did not sign',
    406,
    buildIq('encrypt', 'set', buildNode('rotate', {}, [forgedKey])),
  ],
  ['a signed pre-key without its parts', 400, buildIq('encrypt', 'set', buildNode('rotate'))],
  ['a bundle request for no user', 400, buildIq('encrypt', 'get', buildNode('key'))],
  [
    'a look-up without users',
    400,
    buildIq('usync', 'get', buildNode('usync', { sid: '1' }, [buildNode('query', {}, [buildNode('lid')])])),
  ],
  [
    'the unlinking of another device',
    403,
    buildIq('md', 'set', buildNode('remove-companion-device', { jid: `${NUMBER}:7${SERVER}` })),
  ],
  [
    'the unlinking of somebody else',
    400,
    buildIq('md', 'set', buildNode('remove-companion-device', { jid: `${FRIEND}${SERVER}` })),
  ],
  [
    'an unknown query of the graph',
    400,
    buildIq('w:mex', 'get', buildNode('query', { query_id: '1' }, Buffer.from('{}'))),
  ],
  [
    'the picture of somebody who has none',
    404,
    { ...buildIq('w:profile:picture', 'get', buildNode('picture')) },
  ],
  ['a group that does not exist', 404, buildIq('w:g2', 'get', buildNode('query'))],
])('%s is refused with %i', async (_, code, request) => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await expect(client.socket.query(request)).rejects.toMatchObject({ data: code })
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a request that the simulator does not know is refused, and listed', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await expect(client.socket.query(buildIq('w:nothing', 'get', buildNode('what')))).rejects.toMatchObject({
    data: 400,
  })
  await client.socket.sendNode(buildNode('gibberish', { id: '1' }))
  const unknown = await until(async () => {
    const requests = await world.readList('/unknown', 'requests')
    return requests.length === 2 && requests
  })
  expect(unknown).toMatchObject([
    { number: NUMBER, stanza: { attrs: { xmlns: 'w:nothing' } } },
    { stanza: { tag: 'gibberish' } },
  ])
})

const buildEnc = (type: string) => buildNode('enc', { v: '2', type }, Buffer.from('never encrypted'))
const buildParticipants = (jid: string, type = 'msg') =>
  buildNode('participants', {}, [buildNode('to', { jid }, [buildEnc(type)])])

test.each([
  ['without any recipient', `${FRIEND}${SERVER}`, '479', []],
  [
    'that is for a third party',
    `${FRIEND}${SERVER}`,
    '479',
    [buildParticipants('491700000059@s.whatsapp.net')],
  ],
  [
    'that mixes the two kinds of address',
    `${FRIEND}${SERVER}`,
    '479',
    [buildParticipants('123456789012345@lid')],
  ],
  [
    'whose sender nobody vouches for',
    `${FRIEND}${SERVER}`,
    '479',
    [buildParticipants(`${FRIEND}${SERVER}`, 'pkmsg')],
  ],
  [
    'to a number without an account',
    `491700000058${SERVER}`,
    '404',
    [buildParticipants(`491700000058${SERVER}`)],
  ],
  ['to something that is no user', 'nobody@nowhere', '400', [buildParticipants(`${FRIEND}${SERVER}`)]],
])('a message %s is not taken', async (_, to, code, content) => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.post('/phones', { number: FRIEND })
  const acked = new Promise<string | undefined>((resolve) => {
    client.socket.ws.on('CB:ack,class:message', (ack: BinaryNode) => resolve(ack.attrs.error))
  })
  await client.socket.sendNode({ tag: 'message', attrs: { id: 'A1', to, type: 'text' }, content })
  expect(await acked).toBe(code)
  expect(await world.readList(`/phones/${FRIEND}/inbox`, 'messages')).toEqual([])
})

test('a phone requests again what it cannot decrypt, and shows it once', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.post('/phones', { number: FRIEND })
  const chat = `${FRIEND}${SERVER}`
  await client.socket.sendMessage(chat, { text: 'hello' })
  await until(async () => (await world.readList(`/phones/${FRIEND}/inbox`, 'messages')).length === 1)
  const requested = new Promise<BinaryNode>((resolve) => {
    client.socket.ws.on('CB:receipt,type:retry', resolve)
  })
  await client.socket.sendNode({
    tag: 'message',
    attrs: { id: 'A2', to: chat, type: 'text' },
    content: [buildParticipants(chat)],
  })
  expect((await requested).attrs).toMatchObject({ id: 'A2', from: chat })
  expect(await world.readList(`/phones/${FRIEND}/inbox`, 'messages')).toHaveLength(1)
})

test('each one-time key is used once, and a companion without keys uploads more', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const lid = String((await world.get(`/phones/${NUMBER}`)).body.lid).replace('@', ':1@')
  const countKeys = async () => {
    const response = await client.socket.query(buildIq('encrypt', 'get', buildNode('count')))
    return Number(getBinaryNodeChild(response, 'count')?.attrs.value)
  }
  const before = await countKeys()
  const users = Array.from({ length: before - 1 }, () => buildNode('user', { jid: lid }))
  const response = await client.socket.query(buildIq('encrypt', 'get', buildNode('key', {}, users)))
  const bundles = getBinaryNodeChildren(getBinaryNodeChild(response, 'list'), 'user')
  const ids = bundles.map((one) =>
    Buffer.from(getBinaryNodeChildBuffer(getBinaryNodeChild(one, 'key'), 'id') ?? []).toString('hex'),
  )
  expect(new Set(ids).size).toBe(before - 1)
  await until(async () => (await countKeys()) > 1)
})
