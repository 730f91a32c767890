// Lists of devices of the simulated network: hashes, signed lists of keys, hosted devices, notices.
import { createHash } from 'node:crypto'
import { verifySignature } from '@msgnet/simulator/crypto/curve.ts'
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000141'
const ANNA = '491700000142'
const SERVER = 's.whatsapp.net'

const hashDevices = (addresses: string[]) =>
  `2:${createHash('sha256').update(addresses.sort().join('')).digest().subarray(0, 6).toString('base64')}`

async function listDevices(client: Client, jid: string): Promise<BinaryNode | undefined> {
  const response = await client.socket.query({
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
  const user = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(response, 'usync'), 'list'), 'user')
  return getBinaryNodeChild(user, 'devices')
}

const listKnownDevices = (devices: BinaryNode | undefined) =>
  getBinaryNodeChildren(getBinaryNodeChild(devices, 'device-list'), 'device').map(({ attrs }) => attrs)

/** The list of devices that the account signed, if the signature is its own. */
function readSignedList(client: Client, node: BinaryNode | undefined): proto.ADVKeyIndexList | undefined {
  const { content } = getBinaryNodeChild(node, 'key-index-list') ?? {}
  if (!(content instanceof Uint8Array)) return undefined
  const { details, accountSignature } = proto.ADVSignedKeyIndexList.decode(content)
  const account = client.auth.creds.account?.accountSignatureKey
  if (!details || !accountSignature || !account) return undefined
  const signed = Buffer.concat([Buffer.from([6, 2]), details])
  return verifySignature(Buffer.from(account), signed, accountSignature)
    ? proto.ADVKeyIndexList.decode(details)
    : undefined
}

test('a list of devices has its hash and the list that the phone has signed', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  const devices = await listDevices(client, `${GATEWAY}@${SERVER}`)
  expect(listKnownDevices(devices)).toEqual([{ id: '0' }, { id: '1', 'key-index': '1' }])
  const hash = hashDevices([`${GATEWAY}.0:0@${SERVER}`, `${GATEWAY}.0:1@${SERVER}`])
  expect(getBinaryNodeChild(devices, 'device-list')?.attrs.hash).toBe(hash)
  expect(readSignedList(client, devices)).toMatchObject({ currentIndex: 1, validIndexes: [0, 1] })
})

test('a hosted device is listed as hosted, and its keys are available under both of its addresses', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  const { lid } = (await world.post('/phones', { number: ANNA, hosted: true })).body
  const [user = ''] = String(lid).split('@')
  for (const [name, domain, hostedDomain] of [
    [ANNA, SERVER, 'hosted'],
    [user, 'lid', 'hosted.lid'],
  ]) {
    const devices = await listDevices(client, `${name}@${domain}`)
    expect(listKnownDevices(devices)).toEqual([
      { id: '0' },
      { id: '99', 'key-index': '99', is_hosted: 'true' },
    ])
    const hash = hashDevices([`${name}.0:0@${domain}`, `${name}.0:99@${hostedDomain}`])
    expect(getBinaryNodeChild(devices, 'device-list')?.attrs.hash).toBe(hash)
    expect(await client.socket.assertSessions([`${name}:99@${hostedDomain}`], true)).toBe(true)
  }
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a notice of a new device names it by number and LID, with the hashes of both lists', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  const notices: BinaryNode[] = []
  client.socket.ws.on('CB:notification,type:devices', (node: BinaryNode) => notices.push(node))
  await world.linkClient(GATEWAY)
  const [notice] = await until(() => notices.length > 0 && notices)
  const added = getBinaryNodeChild(notice, 'add')
  const lid = String(notice?.attrs.lid).split('@')[0]
  expect(notice?.attrs).toMatchObject({ from: `${GATEWAY}@${SERVER}`, lid: `${lid}@lid` })
  const readHash = (user: string, domain: string) =>
    hashDevices([0, 1, 2].map((device) => `${user}.0:${device}@${domain}`))
  expect(added?.attrs).toEqual({
    device_hash: readHash(GATEWAY, SERVER),
    device_lid_hash: readHash(lid ?? '', 'lid'),
  })
  expect(getBinaryNodeChildren(added, 'device').map(({ attrs }) => attrs)).toEqual([
    { jid: `${GATEWAY}:2@${SERVER}`, lid: `${lid}:2@lid`, 'key-index': '2' },
  ])
  expect(readSignedList(client, added)).toMatchObject({ currentIndex: 2, validIndexes: [0, 1, 2] })
})
