// Lists of devices as the simulated network gives them: hashes, signed lists of keys, hosted devices, notices.
import { createHash } from 'node:crypto'
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from 'baileys'
import { expect, test } from 'vitest'
import { verify } from '../../simulator/crypto/curve.ts'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000141'
const ANNA = '491700000142'
const SERVER = 's.whatsapp.net'

const hashOf = (addresses: string[]) =>
  `2:${createHash('sha256').update(addresses.sort().join('')).digest().subarray(0, 6).toString('base64')}`

async function devicesOf(client: Client, jid: string): Promise<BinaryNode | undefined> {
  const answer = await client.socket.query({
    tag: 'iq',
    attrs: { id: client.socket.generateMessageTag(), to: `@${SERVER}`, type: 'get', xmlns: 'usync' },
    content: [
      {
        tag: 'usync',
        attrs: { sid: 'one', mode: 'query', last: 'true', index: '0', context: 'message' },
        content: [
          { tag: 'query', attrs: {}, content: [{ tag: 'devices', attrs: { version: '2' } }] },
          { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: { jid } }] },
        ],
      },
    ],
  })
  const user = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list'), 'user')
  return getBinaryNodeChild(user, 'devices')
}

const listed = (devices: BinaryNode | undefined) =>
  getBinaryNodeChildren(getBinaryNodeChild(devices, 'device-list'), 'device').map(({ attrs }) => attrs)

/** What the account signed of its devices, if the signature is its own. */
function signedList(client: Client, node: BinaryNode | undefined): proto.ADVKeyIndexList | undefined {
  const { content } = getBinaryNodeChild(node, 'key-index-list') ?? {}
  if (!(content instanceof Uint8Array)) return undefined
  const { details, accountSignature } = proto.ADVSignedKeyIndexList.decode(content)
  const account = client.auth.creds.account?.accountSignatureKey
  if (!details || !accountSignature || !account) return undefined
  const signed = Buffer.concat([Buffer.from([6, 2]), details])
  return verify(Buffer.from(account), signed, accountSignature)
    ? proto.ADVKeyIndexList.decode(details)
    : undefined
}

test('a list of devices has its hash and the list that the phone has signed', async () => {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  const devices = await devicesOf(client, `${GATEWAY}@${SERVER}`)
  expect(listed(devices)).toEqual([{ id: '0' }, { id: '1', 'key-index': '1' }])
  const hash = hashOf([`${GATEWAY}.0:0@${SERVER}`, `${GATEWAY}.0:1@${SERVER}`])
  expect(getBinaryNodeChild(devices, 'device-list')?.attrs.hash).toBe(hash)
  expect(signedList(client, devices)).toMatchObject({ currentIndex: 1, validIndexes: [0, 1] })
})

test('a hosted device is listed as one, and its keys can be had by both of its addresses', async () => {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  const { lid } = (await world.post('/phones', { number: ANNA, hosted: true })).body
  const [user = ''] = String(lid).split('@')
  for (const [name, domain, hostedDomain] of [
    [ANNA, SERVER, 'hosted'],
    [user, 'lid', 'hosted.lid'],
  ]) {
    const devices = await devicesOf(client, `${name}@${domain}`)
    expect(listed(devices)).toEqual([{ id: '0' }, { id: '99', 'key-index': '99', is_hosted: 'true' }])
    const hash = hashOf([`${name}.0:0@${domain}`, `${name}.0:99@${hostedDomain}`])
    expect(getBinaryNodeChild(devices, 'device-list')?.attrs.hash).toBe(hash)
    expect(await client.socket.assertSessions([`${name}:99@${hostedDomain}`], true)).toBe(true)
  }
  expect(await world.list('/unknown', 'requests')).toEqual([])
})

test('a notice of a new device names it by number and LID, with the hashes of both lists', async () => {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  const notices: BinaryNode[] = []
  client.socket.ws.on('CB:notification,type:devices', (node: BinaryNode) => notices.push(node))
  await world.linked(GATEWAY)
  const [notice] = await until(() => notices.length > 0 && notices)
  const added = getBinaryNodeChild(notice, 'add')
  const lid = String(notice?.attrs.lid).split('@')[0]
  expect(notice?.attrs).toMatchObject({ from: `${GATEWAY}@${SERVER}`, lid: `${lid}@lid` })
  const hash = (user: string, domain: string) =>
    hashOf([0, 1, 2].map((device) => `${user}.0:${device}@${domain}`))
  expect(added?.attrs).toEqual({
    device_hash: hash(GATEWAY, SERVER),
    device_lid_hash: hash(lid ?? '', 'lid'),
  })
  expect(getBinaryNodeChildren(added, 'device').map(({ attrs }) => attrs)).toEqual([
    { jid: `${GATEWAY}:2@${SERVER}`, lid: `${lid}:2@lid`, 'key-index': '2' },
  ])
  expect(signedList(client, added)).toMatchObject({ currentIndex: 2, validIndexes: [0, 1, 2] })
})
