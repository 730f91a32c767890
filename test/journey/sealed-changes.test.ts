// What people encrypt under the secret of the message that they change or answer: each form, in each kind of chat, at each moment.

import { beforeAll, expect, test } from 'vitest'
import {
  createDevice,
  createPhone,
  type LinkedDevice,
  subscribeReceiver,
  waitUntilConnected,
} from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, waitForEvent } = await startScene()

const chats = ['a number', 'a LID', 'a group of numbers', 'a group of LIDs'] as const
type Chat = (typeof chats)[number]
const moments = [
  'after its message',
  'before its message',
  'after a restart',
  'for a message of the history',
  "on the account's own phone",
] as const
type Moment = (typeof moments)[number]

/** Who writes where: the author of the messages, and who changes those of others. */
interface Place {
  chat: Chat
  device: LinkedDevice
  author: string
  writer: string
  to: string
  addressing: { addressing?: 'pn' | 'lid' }
}
const isGroup = ({ chat }: Place) => chat.includes('group')

const post = (at: Place, path: string, body: object) => at.device.caller.post(path, body)
const findMessage = async (at: Place, id: string): Promise<Seen> =>
  (await post(at, '/message/find', { id })).body.messages[0]

async function findEvent(type: string, matches: (envelope: Seen) => boolean): Promise<Seen> {
  return waitForEvent(type, matches)
}
const findReport = (id: string): Promise<Seen> =>
  findEvent('messages', ({ message }) => message.messageid === id).then(({ message }) => message)

interface Form {
  /** What its message is. */
  content: object
  /** What another one does, or the author alone. */
  by: 'author' | 'writer'
  path: string
  change: (at: Place) => object
  /** The change, and the message that it changes, as the caller sees them. */
  check(at: Place, id: string, change: string): Promise<void>
}

const text = { text: 'at five' }
const poll = { poll: { name: 'Where to?', choices: ['Rome', 'Oslo'] } }
const event = { event: { name: 'Party', startTime: 1_900_000_000_000, place: 'at home' } }

/** A chat with a person is named by its number and its LID. */
function expectBothIds(at: Place, event: Seen) {
  if (isGroup(at)) return expect(event.chatid).toBe(at.to)
  expect([event.chatid, event.chatlid]).toEqual([
    expect.stringMatching(/@s\.msgnet\.net$/),
    expect.stringMatching(/@lid$/),
  ])
}

async function checkEdit(at: Place, id: string, words: string) {
  const { event: edit } = await findEvent(
    'messages_edit',
    ({ event }) => event.messageid === id && event.text,
  )
  expect(edit).toMatchObject({ text: words })
  expectBothIds(at, edit)
  expect(edit).not.toHaveProperty('unreadable')
  const record = await until(async () => {
    const found = await findMessage(at, id)
    return found.edited === id && found
  })
  expect(record).toMatchObject({ text: words })
  return record
}

const forms: Record<string, Form> = {
  'an edit': {
    content: text,
    by: 'author',
    path: 'edit',
    change: () => ({ text: 'at six' }),
    check: async (at, id) => void (await checkEdit(at, id, 'at six')),
  },
  'a plain edit': {
    content: text,
    by: 'author',
    path: 'edit',
    change: () => ({ text: 'at seven', form: 'plain' }),
    check: async (at, id) => void (await checkEdit(at, id, 'at seven')),
  },
  'a reaction': {
    content: text,
    by: 'writer',
    path: 'react',
    change: (at) => ({ text: '🎉', ...(!isGroup(at) && { form: 'sealed' }) }),
    async check(at, id, change) {
      expect(await findReport(change)).toMatchObject({ type: 'reaction', text: '🎉', reaction: id })
      expect((await findMessage(at, id)).content.reactions).toMatchObject([{ text: '🎉' }])
    },
  },
  'a comment': {
    content: text,
    by: 'writer',
    path: 'comment',
    change: () => ({ text: 'too late' }),
    async check(_, id, change) {
      const comment = { type: 'text', text: 'too late', quoted: id, content: { target: id } }
      expect(await findReport(change)).toMatchObject(comment)
    },
  },
  'a vote': {
    content: poll,
    by: 'writer',
    path: 'vote',
    change: () => ({ choices: ['Oslo'] }),
    async check(at, id) {
      const { event } = await findEvent(
        'messages_update',
        (one) => one.type === 'PollVote' && one.event.MessageIDs[0] === id,
      )
      expect(event).toMatchObject({ vote: ['Oslo'] })
      expectBothIds(at, event)
      expect((await findMessage(at, id)).content.votes).toMatchObject([{ choices: ['Oslo'] }])
    },
  },
  'an edit of a poll': {
    content: poll,
    by: 'author',
    path: 'edit',
    change: () => ({ text: 'Where from?' }),
    async check(at, id) {
      const { content } = await checkEdit(at, id, 'Where from?')
      expect(content).toMatchObject({ choices: ['Rome', 'Oslo'] })
    },
  },
  'a choice that is added': {
    content: poll,
    by: 'writer',
    path: 'choice',
    change: () => ({ choice: 'Lima' }),
    async check(at, id, change) {
      expect(await findReport(change)).toMatchObject({
        text: 'Lima',
        content: { target: id, choice: 'Lima' },
      })
      expect((await findMessage(at, id)).content.choices).toEqual(['Rome', 'Oslo', 'Lima'])
    },
  },
  'an answer to an event': {
    content: event,
    by: 'writer',
    path: 'answer',
    change: () => ({ response: 'maybe' }),
    async check(at, id, change) {
      expect(await findReport(change)).toMatchObject({
        text: 'maybe',
        content: { target: id, answer: 'maybe' },
      })
      expect((await findMessage(at, id)).content.answers).toMatchObject([{ answer: 'maybe' }])
    },
  },
  'an edit of an event': {
    content: event,
    by: 'author',
    path: 'edit',
    change: () => ({ text: 'Dinner' }),
    async check(at, id) {
      const { content } = await checkEdit(at, id, 'Dinner')
      expect(content).toMatchObject({ startTime: 1_900_000_000_000, location: { name: 'at home' } })
    },
  },
}

async function createPlace(chat: Chat, owner: LinkedDevice): Promise<Place> {
  const [author, writer] = [await createPhone(world, 'Author'), await createPhone(world, 'Writer')]
  const addressing = chat.includes('number') ? 'pn' : 'lid'
  const at = { chat, device: owner, author, writer }
  if (!chat.includes('group')) return { ...at, writer: author, to: owner.number, addressing: { addressing } }
  const participants = [owner.number, writer]
  const group = { subject: chat, owner: author, participants, addressing }
  const { jid } = await world.sim('POST', '/groups', group)
  return { ...at, to: String(jid), addressing: {} }
}

const writeMessage = async ({ author, to, addressing }: Place, content: object): Promise<string> =>
  (await world.sim('POST', '/messages', { from: author, to, ...addressing, ...content })).id as string

async function sendChange(at: Place, form: Form, id: string, by = at[form.by]): Promise<string> {
  const change = await world.sim('POST', `/messages/${id}/${form.path}`, { by, ...form.change(at) })
  return change.id as string
}

const cells = Object.keys(forms).flatMap((form) => chats.map((chat) => ({ form, chat })))
/** The messages of the moments that need more than their own test, by form and chat. */
const prepared = new Map<string, { at: Place; id: string }>()

async function prepare(moment: Moment, owner: LinkedDevice): Promise<void> {
  const places = new Map<Chat, Place>()
  for (const chat of chats) places.set(chat, await createPlace(chat, owner))
  for (const { form, chat } of cells) {
    const at = places.get(chat) as Place
    const { content } = forms[form] as Form
    prepared.set(`${form} ${chat} ${moment}`, { at, id: await writeMessage(at, content) })
  }
}

/** A device that has its messages from the history of its phone alone. */
async function linkWithHistory(): Promise<void> {
  const number = await createPhone(world, 'Owner with a past')
  const fresh = { ...(await createDevice(world, 'Past')), number }
  const moment = 'for a message of the history'
  await prepare(moment, fresh)
  await subscribeReceiver(fresh, receiver)
  await fresh.caller.post('/instance/connect', { history: 'recent' })
  const qr = await until(async () => (await fresh.caller.get('/instance/status')).body.pairing?.qr)
  await world.sim('POST', `/phones/${number}/scan`, { qr })
  await waitUntilConnected(fresh)
  const written = chats
    .map((chat) => cells.filter((cell) => cell.chat === chat))
    .map((row) => {
      const found = row.map(({ form, chat }) => prepared.get(`${form} ${chat} ${moment}`))
      const at = found[0]?.at as Place
      const ids = found.map((one) => one?.id)
      return { with: isGroup(at) ? at.to : at.author, ...at.addressing, written: ids }
    })
  await world.sim('POST', `/phones/${number}/history`, { type: 'recent', chats: written })
  const last = [...prepared.values()].at(-1) as { at: Place; id: string }
  await until(() => findMessage(last.at, last.id))
}

beforeAll(async () => {
  await prepare('after a restart', device)
  const last = [...prepared.values()].at(-1) as { at: Place; id: string }
  await until(() => findMessage(last.at, last.id))
  await world.killAndRestart()
  await waitUntilConnected(device)
  await linkWithHistory()
}, 120_000)

const table = cells.flatMap(({ form, chat }) => moments.map((moment) => [form, chat, moment] as const))

test.each(table)('%s is seen in the chat of %s, %s', async (name, chat, moment) => {
  const form = forms[name] as Form
  const known = prepared.get(`${name} ${chat} ${moment}`)
  if (known) return form.check(known.at, known.id, await sendChange(known.at, form, known.id))
  const at = await createPlace(chat, device)
  if (moment === "on the account's own phone") {
    const owns = { ...at, author: device.number, to: isGroup(at) ? at.to : at.author }
    const id = await writeMessage(form.by === 'author' ? owns : at, form.content)
    return form.check(at, id, await sendChange(at, form, id, device.number))
  }
  const id = await writeMessage(at, { ...form.content, held: moment === 'before its message' })
  const change = await sendChange(at, form, id)
  if (moment === 'before its message') await world.sim('POST', `/messages/${id}/deliver`)
  await form.check(at, id, change)
})

const findEdits = (id: string): Seen[] =>
  receiver.deliveries
    .map(({ envelope }: Seen) => envelope)
    .filter(({ EventType, event }: Seen) => EventType === 'messages_edit' && event.messageid === id)

test('an edit of a message that was sent here, made on the own phone, is seen', async () => {
  const at = await createPlace('a number', device)
  const { messageid: id } = (await post(at, '/send/text', { number: at.author, text: 'at five' })).body
  await world.sim('POST', `/messages/${id}/edit`, { by: device.number, text: 'at six' })
  await checkEdit(at, id, 'at six')
  // The secret of the original still opens the next one.
  await world.sim('POST', `/messages/${id}/edit`, { by: device.number, text: 'at ten' })
  await until(async () => (await findMessage(at, id)).text === 'at ten')
  // It is stored with the record, and delivered after that.
  await findEvent('messages_edit', ({ event }) => event.messageid === id && event.text === 'at ten')
  expect(findEdits(id).map(({ event }) => event.text)).toEqual(['at six', 'at ten'])
})

test('a picture whose caption is edited can still be downloaded', async () => {
  const at = await createPlace('a number', device)
  const image = Buffer.from('a picture of a house').toString('base64')
  const id = await writeMessage(at, { image, caption: 'my house' })
  await world.sim('POST', `/messages/${id}/edit`, { by: at.author, text: 'our house' })
  expect((await checkEdit(at, id, 'our house')).content).toMatchObject({ caption: 'our house' })
  const file = await post(at, '/message/download', { id, return_base64: true })
  expect([file.status, file.body.base64Data]).toEqual([200, image])
})

test('an edit with a wrong tag is reported as unreadable, once, and the message stays as it was', async () => {
  const at = await createPlace('a group of LIDs', device)
  const id = await writeMessage(at, text)
  await world.sim('POST', `/messages/${id}/edit`, { by: at.author, text: 'broken', form: 'garbled' })
  const { event } = await findEvent('messages_edit', ({ event }) => event.messageid === id)
  expect(event).toMatchObject({ unreadable: true, text: '', chatid: at.to })
  expect(await findMessage(at, id)).toMatchObject({ text: 'at five', edited: '' })
  await world.sim('POST', `/messages/${id}/edit`, { by: at.author, text: 'at six' })
  await checkEdit(at, id, 'at six')
  expect(findEdits(id)).toHaveLength(2)
})

test('a reaction with a wrong tag is no removal of a reaction, and is not empty', async () => {
  const at = await createPlace('a group of numbers', device)
  const id = await writeMessage(at, text)
  const { id: reaction } = await world.sim('POST', `/messages/${id}/react`, {
    by: at.writer,
    text: '🎉',
    form: 'garbled',
  })
  expect(await findReport(String(reaction))).toMatchObject({
    type: 'other',
    messageType: 'encReactionMessage',
    content: { target: id, unreadable: true },
  })
})

test('an edit by somebody else than the author is ignored', async () => {
  const at = await createPlace('a group of LIDs', device)
  const id = await writeMessage(at, text)
  for (const form of ['sealed', 'garbled', 'plain'])
    await world.sim('POST', `/messages/${id}/edit`, { by: at.writer, text: 'forged', forged: true, form })
  await world.sim('POST', `/messages/${id}/edit`, { by: at.author, text: 'at six' })
  await checkEdit(at, id, 'at six')
  expect(findEdits(id)).toHaveLength(1)
})

test('an edit of a message that does not arrive is reported as unreadable', async () => {
  const at = await createPlace('a LID', device)
  const id = await writeMessage(at, { ...text, held: true })
  await world.sim('POST', `/messages/${id}/edit`, { by: at.author, text: 'at six' })
  const { event } = await findEvent('messages_edit', ({ event }) => event.messageid === id)
  expect(event).toMatchObject({ unreadable: true, text: '' })
  expectBothIds(at, event)
  // Later it arrives all the same.
  await world.sim('POST', `/messages/${id}/deliver`)
  await checkEdit(at, id, 'at six')
})

test('an edit that arrived before its message survives a kill, and is applied then', async () => {
  const at = await createPlace('a group of LIDs', device)
  const id = await writeMessage(at, { ...text, held: true })
  const change = await sendChange(at, forms['an edit'] as Form, id)
  await until(async () => (await findMessage(at, change)) !== undefined)
  await world.killAndRestart()
  await waitUntilConnected(device)
  await world.sim('POST', `/messages/${id}/deliver`)
  await checkEdit(at, id, 'at six')
})
