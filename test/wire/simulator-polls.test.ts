// Polls and their votes, status posts and round video notes, between the library and simulated phones.
// @module-tag slow
import { createHash } from 'node:crypto'
import { setDefaultCACertificates } from 'node:tls'
import {
  type BaileysEventMap,
  decryptPollVote,
  downloadMediaMessage,
  jidNormalizedUser,
  type WAMessage,
} from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000191'
const FRIEND = '491700000192'
const OTHER = '491700000193'
const toPn = (number: string) => `${number}@s.whatsapp.net`
const toNeutral = (number: string) => `${number}@s.msgnet.net`
const hashBytes = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()

async function openWorldWithFriends() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  for (const number of [FRIEND, OTHER]) await world.post('/phones', { number, name: number })
  return { world, client }
}

async function waitForInbox(world: World, number: string, count = 1) {
  return until(async () => {
    const messages = await world.readList(`/phones/${number}/inbox`, 'messages')
    return messages.length >= count && messages
  })
}

const buildPoll = (values: string[], selectableCount = 1) => ({
  poll: { name: 'Where to?', values, selectableCount },
})

/** The chosen options, as the library decrypts them. */
function decryptVote(
  vote: WAMessage,
  made: { id: string; secret: Uint8Array; creator: string },
  choices: string[],
): string[] {
  const update = vote.message?.pollUpdateMessage
  expect(update?.pollCreationMessageKey?.id).toBe(made.id)
  const { selectedOptions } = decryptPollVote(update?.vote ?? {}, {
    pollCreatorJid: made.creator,
    pollMsgId: made.id,
    pollEncKey: made.secret,
    voterJid: jidNormalizedUser(vote.key.participant || vote.key.remoteJid || ''),
  })
  const chosen = (selectedOptions ?? []).map((bytes) => Buffer.from(bytes).toString('hex'))
  return choices.filter((choice) => chosen.includes(hashBytes(choice).toString('hex')))
}

async function sendVote(world: World, client: Client, id: string, by: string, choices: string[]) {
  const { status, body } = await world.post(`/messages/${id}/vote`, { by, choices })
  expect(status).toBe(200)
  return until(() => client.messages.find((one) => one.key.id === body.id && one.message))
}

test('votes in a poll are decrypted with the secret that the poll was sent with', async () => {
  const { world, client } = await openWorldWithFriends()
  const choices = ['Rome', 'Paris', 'Oslo']
  const sent = await client.socket.sendMessage(toPn(FRIEND), buildPoll(choices, 2))
  const [shown] = await waitForInbox(world, FRIEND)
  expect(shown).toMatchObject({ type: 'poll', text: 'Where to?', choices, selectable: 2 })
  const id = sent?.key.id ?? ''
  const secret = sent?.message?.messageContextInfo?.messageSecret ?? new Uint8Array()
  const made = { id, secret, creator: toPn(GATEWAY) }
  const first = await sendVote(world, client, id, FRIEND, ['Rome', 'Oslo'])
  expect(decryptVote(first, made, choices)).toEqual(['Rome', 'Oslo'])
  expect(decryptVote(await sendVote(world, client, id, FRIEND, []), made, choices)).toEqual([])
  const findVoteError = async (by: string, chosen: string[]) =>
    (await world.post(`/messages/${id}/vote`, { by, choices: chosen })).status
  expect(await findVoteError(FRIEND, ['Berlin'])).toBe(400)
  expect(await findVoteError(FRIEND, choices)).toBe(400)
  expect(await findVoteError(OTHER, ['Rome'])).toBe(400)
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('members of a group vote separately', async () => {
  const { world, client } = await openWorldWithFriends()
  const wish = { subject: 'Club', owner: GATEWAY, participants: [FRIEND, OTHER] }
  const jid = String((await world.post('/groups', wish)).body.jid)
  const choices = ['yes', 'no']
  const sent = await client.socket.sendMessage(jid, buildPoll(choices))
  await Promise.all([waitForInbox(world, FRIEND), waitForInbox(world, OTHER)])
  const creator = String((await world.get(`/phones/${GATEWAY}`)).body.lid)
  const secret = sent?.message?.messageContextInfo?.messageSecret ?? new Uint8Array()
  const made = { id: sent?.key.id ?? '', secret, creator }
  const friends = await sendVote(world, client, made.id, FRIEND, ['yes'])
  const others = await sendVote(world, client, made.id, OTHER, ['no'])
  expect(decryptVote(friends, made, choices)).toEqual(['yes'])
  expect(decryptVote(others, made, choices)).toEqual(['no'])
  expect(friends.key.participant).not.toBe(others.key.participant)
})

test('a phone shows polls of two to twelve different choices, and sends such polls', async () => {
  const { world, client } = await openWorldWithFriends()
  const many = Array.from({ length: 12 }, (_, place) => `choice ${place}`)
  await client.socket.sendMessage(toPn(FRIEND), buildPoll(['only one']))
  await client.socket.sendMessage(toPn(FRIEND), buildPoll([...many, 'one too many']))
  await client.socket.sendMessage(toPn(FRIEND), buildPoll(['same', 'same']))
  await client.socket.sendMessage(toPn(FRIEND), buildPoll(many, 0))
  expect(await waitForInbox(world, FRIEND)).toMatchObject([{ type: 'poll', choices: many, selectable: 0 }])
  const written = { from: FRIEND, to: GATEWAY, poll: { name: 'When?', choices: ['today', 'never'] } }
  const { body } = await world.post('/messages', written)
  const received = await client.waitForText(String(body.id))
  expect(received.message?.pollCreationMessageV3?.options?.map(({ optionName }) => optionName)).toEqual([
    'today',
    'never',
  ])
  const unfit = { ...written, poll: { name: 'When?', choices: ['today'] } }
  expect((await world.post('/messages', unfit)).status).toBe(400)
})

test('a status post reaches only the people that it names', async () => {
  const { world, client } = await openWorldWithFriends()
  const friend = await world.linkClient(FRIEND)
  const receipts: BaileysEventMap['message-receipt.update'] = []
  client.socket.ev.on('message-receipt.update', (updates) => receipts.push(...updates))
  const sent = await client.socket.sendMessage(
    'status@broadcast',
    { text: 'good morning' },
    { backgroundColor: '#336699', font: 2, statusJidList: [toPn(FRIEND)] },
  )
  expect(await waitForInbox(world, FRIEND)).toMatchObject([
    {
      id: sent?.key.id,
      from: toNeutral(GATEWAY),
      chat: 'status@broadcast',
      type: 'text',
      text: 'good morning',
      background: '#336699',
      font: 2,
    },
  ])
  const posted = await friend.waitForText(sent?.key.id ?? '')
  expect(posted.key).toMatchObject({ remoteJid: 'status@broadcast', fromMe: false })
  expect(posted.message?.extendedTextMessage?.text).toBe('good morning')
  expect(await world.readList(`/phones/${OTHER}/inbox`, 'messages')).toEqual([])
  await until(() => receipts.some(({ key }) => key.id === sent?.key.id))
  await world.callControl('PATCH', `/phones/${OTHER}/profile`, { block: [GATEWAY] })
  await client.socket.sendMessage(
    'status@broadcast',
    { text: 'not for who blocked me' },
    { statusJidList: [toPn(FRIEND), toPn(OTHER)] },
  )
  await waitForInbox(world, FRIEND, 2)
  expect(await world.readList(`/phones/${OTHER}/inbox`, 'messages')).toEqual([])
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('round video notes go both ways', async () => {
  const { world, client } = await openWorldWithFriends()
  setDefaultCACertificates([world.simulator.mediaCa])
  const file = Buffer.from('not really a video')
  await client.socket.sendMessage(toPn(FRIEND), { video: file, ptv: true, jpegThumbnail: '' })
  const [shown] = await waitForInbox(world, FRIEND)
  expect(shown).toMatchObject({ type: 'video', ptv: true, mediaSha256: hashBytes(file).toString('hex') })
  const ptv = file.toString('base64')
  const { body } = await world.post('/messages', { from: FRIEND, to: GATEWAY, ptv })
  const received = await client.waitForText(String(body.id))
  expect(received.message?.ptvMessage?.mimetype).toBe('video/mp4')
  expect(await downloadMediaMessage(received, 'buffer', {})).toEqual(file)
})
