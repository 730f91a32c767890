// Accounts that are migrated to LIDs, and those that are not: what the network shows of them, and what it refuses.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '@msgnet/simulator/store/network-database.ts'
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from 'baileys'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000301'
const FRIEND = '491700000302'
const SERVER = '@s.whatsapp.net'
const pn = `${FRIEND}${SERVER}`

const buildNode = (
  tag: string,
  attrs: Record<string, string> = {},
  content?: BinaryNode['content'],
): BinaryNode => (content === undefined ? { tag, attrs } : { tag, attrs, content })
const buildEnc = (type: string) => buildNode('enc', { v: '2', type }, Buffer.from('never encrypted'))
const buildParticipants = (...jids: string[]) =>
  buildNode(
    'participants',
    {},
    jids.map((jid) => buildNode('to', { jid }, [buildEnc('msg')])),
  )

async function openLinkedWorld(lidMigrated: boolean) {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER, { lidMigrated })
  const lid = String((await world.post('/phones', { number: FRIEND, name: 'Friend' })).body.lid)
  return { world, client, lid }
}

async function sendRefused({ socket }: Client, attrs: Record<string, string>, content: BinaryNode[]) {
  const acked = new Promise<string | undefined>((resolve) => {
    socket.ws.once('CB:ack,class:message', (ack: BinaryNode) => resolve(ack.attrs.error))
  })
  await socket.sendNode(buildNode('message', { id: crypto.randomUUID(), type: 'text', ...attrs }, content))
  return acked
}

test('a migrated account that writes to numbers is refused: with 463 to a person, with 479 in a status post', async () => {
  const { client, lid } = await openLinkedWorld(true)
  expect(await sendRefused(client, { to: pn }, [buildParticipants(pn)])).toBe('463')
  expect(await sendRefused(client, { to: pn }, [buildParticipants(lid)])).toBe('463')
  expect(
    await sendRefused(client, { to: lid, peer_recipient_pn: `${NUMBER}${SERVER}` }, [buildParticipants(lid)]),
  ).toBe('400')
  expect(await sendRefused(client, { to: lid }, [buildParticipants(lid, pn)])).toBe('479')
  const status = { to: 'status@broadcast' }
  expect(await sendRefused(client, status, [buildParticipants(pn), buildEnc('skmsg')])).toBe('479')
  expect(await sendRefused(client, status, [buildParticipants(lid), buildEnc('skmsg')])).toBeUndefined()
})

test('an account that is not migrated is refused LIDs with 400, and a number over LIDs too', async () => {
  const { client, lid } = await openLinkedWorld(false)
  expect(await sendRefused(client, { to: lid }, [buildParticipants(lid)])).toBe('400')
  expect(await sendRefused(client, { to: pn }, [buildParticipants(lid)])).toBe('400')
})

test.each([true, false])(
  'a companion learns when it is linked whether the account is migrated (%s)',
  async (lidMigrated) => {
    const world = await World.openWorld()
    await world.post('/phones', { number: NUMBER, lidMigrated })
    const client = world.createClient()
    client.connect()
    const notified = new Promise<BinaryNode>((resolve) =>
      client.socket.ws.once('CB:iq,,pair-success', resolve),
    )
    await world.post(`/phones/${NUMBER}/scan`, { qr: await client.waitForQr() })
    const props = getBinaryNodeChild(
      getBinaryNodeChild(await notified, 'pair-success'),
      'client-props',
    )?.content
    expect(proto.ClientPairingProps.decode(props as Uint8Array).isChatDbLidMigrated).toBe(lidMigrated)

    await client.waitForClose()
    client.connect()
    const response = new Promise<BinaryNode>((resolve) => client.socket.ws.once('CB:iq,,props', resolve))
    const listed = getBinaryNodeChildren(getBinaryNodeChild(await response, 'props'), 'prop')
    expect(listed.map(({ attrs }) => attrs.config_code)).toEqual(lidMigrated ? ['9435'] : [])
  },
)

test('a migration sends the linked companions the pairs of LID and number, and cannot be undone', async () => {
  const { world, client, lid } = await openLinkedWorld(false)
  const sent = await world.post('/messages', { from: FRIEND, to: NUMBER, text: 'before' })
  await client.waitForText(String(sent.body.id))
  expect((await world.get(`/phones/${NUMBER}`)).body).toMatchObject({ lidMigrated: false })
  expect((await world.callControl('PATCH', `/phones/${NUMBER}`, { lidMigrated: true })).body).toMatchObject({
    lidMigrated: true,
  })
  const payload = await until(
    () =>
      client.messages.find(({ message }) => message?.protocolMessage?.lidMigrationMappingSyncMessage)?.message
        ?.protocolMessage?.lidMigrationMappingSyncMessage?.encodedMappingPayload,
  )
  const { pnToLidMappings, chatDbMigrationTimestamp } = proto.LIDMigrationMappingSyncPayload.decode(payload)
  expect(pnToLidMappings.map((one) => [`${one.pn}`, `${one.assignedLid}@lid`])).toEqual([[FRIEND, lid]])
  expect(Number(chatDbMigrationTimestamp)).toBeGreaterThan(0)
  expect((await world.callControl('PATCH', `/phones/${NUMBER}`, { lidMigrated: false })).status).toBe(400)
  expect(await sendRefused(client, { to: pn }, [buildParticipants(pn)])).toBe('463')
})

const lookUpUsers = async (client: Client, query: BinaryNode, ...users: BinaryNode[]) => {
  const attrs = { sid: '1', mode: 'query', context: 'interactive', last: 'true', index: '0' }
  const usync = buildNode('usync', attrs, [buildNode('query', {}, [query]), buildNode('list', {}, users)])
  const iq = buildNode('iq', { to: SERVER, type: 'get', xmlns: 'usync' }, [usync])
  const list = getBinaryNodeChild(getBinaryNodeChild(await client.socket.query(iq), 'usync'), 'list')
  return getBinaryNodeChildren(list, 'user')
}

test('the newer look-up of numbers returns LIDs, the number beside each, and the requested text', async () => {
  const { client, lid } = await openLinkedWorld(true)
  const buildContact = (text: string) => buildNode('user', {}, [buildNode('contact', {}, text)])
  const newer = buildNode('contact', { addressing_mode: 'lid' })
  const responses = await lookUpUsers(
    client,
    newer,
    buildContact(`+${FRIEND}@c.us`),
    buildContact('+491700000399@c.us'),
  )
  const shown = responses.map((user) => {
    const found = getBinaryNodeChild(user, 'contact')
    return [user.attrs, found?.attrs.type, Buffer.from((found?.content as Uint8Array) ?? []).toString()]
  })
  expect(shown).toEqual([
    [{ jid: lid, pn_jid: pn }, 'in', `+${FRIEND}@c.us`],
    [{ pn_jid: `491700000399${SERVER}` }, 'out', '+491700000399@c.us'],
  ])
})

test('the devices of a number may be hidden from a migrated account, and those of the LID are shown', async () => {
  const { world, client, lid } = await openLinkedWorld(true)
  await world.post('/faults', { kind: 'empty_devices', number: NUMBER })
  const responses = await lookUpUsers(
    client,
    buildNode('devices', { version: '2' }),
    ...[pn, lid].map((jid) => buildNode('user', { jid })),
  )
  const counts = responses.map((user) => {
    const list = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list')
    return getBinaryNodeChildren(list, 'device').length
  })
  expect(counts).toEqual([0, 1])
})

test('the first message to an account issues a token, which its companions receive', async () => {
  const { world, client, lid } = await openLinkedWorld(true)
  const notices: BinaryNode[] = []
  client.socket.ws.on('CB:notification,type:privacy_token', (one: BinaryNode) => notices.push(one))
  for (const text of ['one', 'two']) {
    const { body } = await world.post('/messages', { from: FRIEND, to: NUMBER, text })
    await client.waitForText(String(body.id))
  }
  await until(() => notices.length > 0)
  expect(notices.map(({ attrs }) => [attrs.from, attrs.sender_lid])).toEqual([[pn, lid]])
  const [token] = getBinaryNodeChildren(getBinaryNodeChild(notices[0], 'tokens'), 'token')
  const { attrs, content } = token ?? buildNode('token')
  expect(attrs.type).toBe('trusted_contact')
  const stored = await client.auth.keys.get('tctoken', [lid])
  expect([...(stored[lid]?.token ?? [])]).toEqual([...(content as Uint8Array)])
})

test('accounts of a data folder from before LIDs are not migrated', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'simulator-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  openDatabase(dataDir).close()
  const file = join(dataDir, 'simulator', 'network.db')
  const before = new DatabaseSync(file)
  before.exec('alter table accounts drop column lid_migrated')
  before.exec(`insert into accounts (number, lid, auto_receipt, identity_public, identity_private, registration,
    signed_id, signed_public, signed_private, signed_signature) values ('1', '2', 1, x'00', x'00', 1, 1, x'00', x'00', x'00')`)
  before.close()
  const after = openDatabase(dataDir)
  expect(after.prepare('select lid_migrated from accounts').get()).toEqual({ lid_migrated: 0 })
  after.close()
})
