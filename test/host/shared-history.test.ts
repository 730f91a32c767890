// The past of a group that a member shares with an account that joined: stored as history, and what a false one does not do.

import { deflateSync } from 'node:zlib'
import { deriveKeys } from '@msgnet/session-host/driver/baileys/messages/decrypted-download.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { findMessages, listPast } from './history-stage.ts'
import { startWorld, type World } from './world.ts'

const BEN = '5511340000062'
const CARL = '5511340000063'
let world: World
let count = 0

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
  await world.createPhone(CARL, 'Carl')
})
afterAll(() => world.close())

/** A group of Ben and Carl, in which they write these; then a linked account joins. */
async function join(contents: object[], addressing = 'lid') {
  count += 1
  const number = `55113400006${String(count).padStart(2, '0')}`
  const instance = await world.linkPhone(number)
  const wish = { subject: 'Friends', owner: BEN, participants: [CARL], addressing }
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  const ids: string[] = []
  for (const [at, content] of contents.entries())
    ids.push(await write(jid, at % 2 === 0 ? CARL : BEN, content))
  const added = { action: 'add', by: BEN, participants: [number] }
  await world.sim('POST', `/groups/${jid}/participants`, added)
  const share = async (rest: object, to = number): Promise<string> =>
    (await world.sim<{ id: string }>('POST', `/groups/${jid}/history`, { by: BEN, to: [to], ...rest })).id
  return { number, instance, jid, ids, share }
}

const write = async (jid: string, from: string, content: object): Promise<string> =>
  (await world.sim<{ id: string }>('POST', '/messages', { from, to: jid, ...content })).id

const findId = async (number: string, addressing: string): Promise<string> =>
  addressing === 'pn'
    ? `${number}@s.msgnet.net`
    : (await world.sim<{ lid: string }>('GET', `/phones/${number}`)).lid

const listReported = (instance: string): MessageRecord[] =>
  world.edge
    .listEvents(instance, 'messages')
    .map(({ payload }) => (payload as { message: MessageRecord }).message)

/** What comes after it was handled. */
async function waitUntilReported(instance: string, id: string): Promise<void> {
  await until(() => listReported(instance).some(({ messageid }) => messageid === id))
}

const kinds: [name: string, content: object, expected: object][] = [
  ['text', { text: 'Saturday at eight' }, { type: 'text', text: 'Saturday at eight' }],
  ['poll', { poll: { name: 'When?', choices: ['Fri', 'Sat'] } }, { type: 'poll', text: 'When?' }],
  ['place', { location: { latitude: 1, longitude: 2, name: 'Pier' } }, { type: 'location', text: 'Pier' }],
  [
    'document',
    { document: 'aGVsbG8=', mimetype: 'text/plain', fileName: 'list.txt' },
    { type: 'media', mediaType: 'document' },
  ],
  [
    'order',
    { kind: 'orderMessage', fields: { orderId: '7', message: 'two cakes' } },
    { messageType: 'orderMessage', text: 'two cakes' },
  ],
]

test.each(['lid', 'pn'])(
  'each kind of message in it is stored as history and reported as such, once (%s)',
  async (addressing) => {
    const { instance, jid, ids, share } = await join(
      kinds.map(([, content]) => content),
      addressing,
    )
    const bundle = await share({ written: ids })
    await waitUntilReported(instance, bundle)
    const past = await until(() => {
      const found = listPast(world, instance)
      return found.length >= ids.length && found
    })
    expect(past.map(({ messageid }) => messageid)).toEqual(ids)
    const found = await findMessages(world, instance, { chatid: jid, sort: 'messageTimestamp' })
    const stored = ids.map((id) => found.find(({ messageid }) => messageid === id))
    for (const [at, [, , expected]] of kinds.entries())
      expect(stored[at]).toMatchObject({
        ...expected,
        chatid: jid,
        isGroup: true,
        fromMe: false,
        source: 'history',
        groupName: 'Friends',
        sender: await findId(at % 2 === 0 ? CARL : BEN, addressing),
      })
    const reported = listReported(instance).map(({ messageid }) => messageid)
    expect(ids.filter((id) => reported.includes(id))).toEqual([])
    // A second time adds nothing.
    await waitUntilReported(instance, await share({ written: ids }))
    await waitUntilReported(instance, await write(jid, CARL, { text: 'afterwards' }))
    expect(listPast(world, instance)).toHaveLength(ids.length)
  },
)

test('one that is for others is not read', async () => {
  const { instance, jid, ids, share } = await join([{ text: 'for Carl' }])
  await share({ written: ids }, CARL)
  await waitUntilReported(instance, await write(jid, BEN, { text: 'afterwards' }))
  expect(listPast(world, instance)).toEqual([])
  expect(listReported(instance)).toContainEqual(
    expect.objectContaining({
      messageType: 'messageHistoryNotice',
      content: expect.objectContaining({ messageCount: 1 }),
    }),
  )
})

test('one whose download was broken off is read by the next process', async () => {
  const { instance, jid, ids, share } = await join([{ text: 'kept' }])
  await world.sim('POST', '/faults', { kind: 'media', direction: 'download', code: 503 })
  await waitUntilReported(instance, await share({ written: ids }))
  await waitUntilReported(instance, await write(jid, BEN, { text: 'meanwhile' }))
  expect(listPast(world, instance)).toEqual([])
  await world.restartHost()
  await world.sim('DELETE', '/faults')
  await until(() => listPast(world, instance).length === 1, { within: 20_000 })
  expect(await findMessages(world, instance, { id: ids[0] })).toMatchObject([{ text: 'kept' }])
})

/** As a member writes it whose client is its own. */
function encodeShared(messages: proto.IWebMessageInfo[]): string {
  const parts = messages.map((one) => Buffer.from(proto.WebMessageInfo.encode(one).finish()))
  const encoded = parts.map((bytes) => Buffer.concat([Buffer.from([0x0a]), encodeLength(bytes), bytes]))
  return deflateSync(Buffer.concat(encoded)).toString('base64')
}

const encodeLength = ({ length }: Buffer): Buffer =>
  length < 128 ? Buffer.from([length]) : Buffer.from([(length % 128) + 128, Math.floor(length / 128)])

const NOW = Math.floor(Date.now() / 1000)

test.each([
  ['that is on no host', () => ({ lost: true })],
  ['that is no file of the network', () => ({ raw: Buffer.from('not compressed').toString('base64') })],
  [
    'that inflates to far more',
    () => ({ raw: deflateSync(Buffer.alloc(80 * 1024 * 1024)).toString('base64') }),
  ],
  [
    'with messages of another chat',
    () => ({ raw: forge({ remoteJid: '5511340000099@s.whatsapp.net', participant: null }) }),
  ],
  ['with a message without an author', () => ({ raw: forge({ participant: null }) })],
  ['with words of this account', (lid: string) => ({ raw: forge({ participant: lid }) })],
  ['with a message of tomorrow', () => ({ raw: forge({}, NOW + 86_400) })],
])('one %s adds nothing, and what follows is received', async (_, createFault) => {
  const { number, instance, jid, share } = await join([])
  const { lid } = await world.sim<{ lid: string }>('GET', `/phones/${number}`)
  await waitUntilReported(instance, await share(createFault(lid)))
  const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', {
    from: CARL,
    to: jid,
    text: 'honest',
    count: 2,
  })
  for (const id of ids) await waitUntilReported(instance, id)
  // The next one is read after it.
  await share({ written: [await write(jid, BEN, { text: 'seen already' }), ...ids] })
  await share({ raw: forge({ id: 'PROOF', participant: `${CARL}@s.whatsapp.net`, remoteJid: jid }) })
  await until(() => listPast(world, instance).length > 0)
  expect(listPast(world, instance).map(({ messageid }) => messageid)).toEqual(['PROOF'])
})

test('a message that is here keeps its words, whatever is said of it', async () => {
  const { instance, jid, share } = await join([])
  const id = await write(jid, CARL, { text: 'I agree' })
  await waitUntilReported(instance, id)
  const participant = `${CARL}@s.whatsapp.net`
  const key = { id, remoteJid: jid, participant }
  const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  const edit = { protocolMessage: { type: MESSAGE_EDIT, key, editedMessage: { conversation: 'I refuse' } } }
  const raw = encodeShared([
    { key, participant, messageTimestamp: NOW, message: { conversation: 'I refuse' } },
    { key, participant, messageTimestamp: NOW, message: edit },
    { key: { ...key, id: 'PROOF' }, participant, messageTimestamp: NOW, message: { conversation: 'new' } },
  ])
  await share({ raw })
  await until(() => listPast(world, instance).length > 0)
  expect(listPast(world, instance)).toMatchObject([{ messageid: 'PROOF' }])
  expect(await findMessages(world, instance, { id })).toMatchObject([{ text: 'I agree', edited: '' }])
})

test('its keys are derived as other implementations derive them', async () => {
  const { iv } = await deriveKeys(Buffer.alloc(32, 0x5a), 'group-history')
  expect(iv.toString('hex')).toBe('71bae6974461bf53abc89acdf9cabe19')
})

function forge(key: proto.IMessageKey, messageTimestamp = NOW - 60): string {
  const participant = 'participant' in key ? key.participant : `${CARL}@s.whatsapp.net`
  const whole = { id: 'FORGED', ...key, participant }
  return encodeShared([{ key: whole, participant, messageTimestamp, message: { conversation: 'false' } }])
}
