// The settings that an account's devices have in common, written and read by the library and by the simulated phone.
import { setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { heard } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000161'
const FRIEND = '491700000162'
const CHAT = `${FRIEND}@s.whatsapp.net`
const NEUTRAL = `${FRIEND}@s.msgnet.net`
const XMLNS = 'w:sync:app:state'

async function worldWithTwo() {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  await world.post('/phones', { number: FRIEND, name: 'Friend' })
  return { world, client }
}

const lastMessages = [{ key: { remoteJid: CHAT, fromMe: false, id: 'A1' }, messageTimestamp: 1_700_000_000 }]
const settings = async (world: World) => (await world.get(`/phones/${GATEWAY}/settings`)).body
const set = async (world: World, change: object) => {
  const answer = await world.post(`/phones/${GATEWAY}/settings`, change)
  expect(answer.status).toBe(200)
  return Number(answer.body.version)
}

test('what a companion sets, the phone shows', async () => {
  const { world, client } = await worldWithTwo()
  const { socket } = client
  await socket.chatModify({ archive: true, lastMessages }, CHAT)
  await socket.chatModify({ pin: true }, CHAT)
  await socket.chatModify({ mute: 1_800_000_000_000 }, CHAT)
  await socket.chatModify({ markRead: false, lastMessages }, CHAT)
  await socket.addOrEditContact(CHAT, { fullName: 'Frieda Friend', firstName: 'Frieda' })
  await socket.addLabel(CHAT, { id: '7', name: 'Customers', color: 3, deleted: false })
  await socket.addChatLabel(CHAT, '7')
  await socket.updateProfileName('New Name')
  expect(await settings(world)).toMatchObject({
    name: 'New Name',
    versions: {
      critical_block: 1,
      critical_unblock_low: 1,
      regular_high: 1,
      regular_low: 3,
      regular: 2,
    },
    chats: [{ chat: NEUTRAL, mutedUntil: 1_800_000_000_000, archived: true, pinned: true, read: false }],
    contacts: [{ jid: NEUTRAL, name: 'Frieda Friend', firstName: 'Frieda' }],
    labels: [{ labelid: '7', name: 'Customers', color: 3, chats: [NEUTRAL] }],
  })
  await socket.chatModify({ archive: false, lastMessages }, CHAT)
  await socket.chatModify({ mute: null }, CHAT)
  await socket.chatModify({ clear: true, lastMessages }, CHAT)
  await socket.chatModify({ delete: true, lastMessages }, CHAT)
  await socket.removeContact(CHAT)
  await socket.removeChatLabel(CHAT, '7')
  const now = await settings(world)
  expect(now).toMatchObject({
    chats: [{ archived: false, mutedUntil: null, pinned: true, clearedAt: expect.any(Number) }],
    contacts: [],
    labels: [{ labelid: '7', chats: [] }],
  })
  expect(now.chats).toMatchObject([{ deletedAt: expect.any(Number) }])
  expect(await world.list('/unknown', 'requests')).toEqual([])
})

test('what the phone sets reaches its companions, those that were away too', async () => {
  const { world, client } = await worldWithTwo()
  const sibling = await world.linked(GATEWAY)
  sibling.end()
  const chats = heard(client, 'chats.update')
  const contacts = heard(client, 'contacts.upsert')
  const labels = heard(client, 'labels.edit')
  const associations = heard(client, 'labels.association')
  const deleted = heard(client, 'chats.delete')
  await set(world, { action: 'archive', chat: FRIEND, archived: true })
  await set(world, { action: 'pin', chat: FRIEND, pinned: true })
  await set(world, { action: 'mute', chat: FRIEND, until: -1 })
  await set(world, { action: 'read', chat: FRIEND, read: false })
  await set(world, { action: 'contact', chat: FRIEND, name: 'Frieda Friend' })
  await set(world, { action: 'label', labelid: '2', name: 'Urgent', color: 4 })
  await set(world, { action: 'label_chat', chat: FRIEND, labelid: '2', labeled: true })
  await set(world, { action: 'delete', chat: FRIEND })
  await set(world, { action: 'name', name: 'By phone' })
  await until(() => client.auth.creds.me?.name === 'By phone')
  // Names are told at once, the rest together with whatever else is under way.
  await until(() => [contacts, labels, associations, deleted].every((events) => events.length > 0))
  await until(() => chats.flat().some(({ unreadCount }) => unreadCount === -1))
  expect(Object.assign({}, ...chats.flat())).toMatchObject({
    id: CHAT,
    archived: true,
    muteEndTime: -1,
    unreadCount: -1,
    pinned: expect.any(Number),
  })
  expect(contacts.flat()).toMatchObject([{ id: CHAT, name: 'Frieda Friend', phoneNumber: CHAT }])
  expect(labels).toMatchObject([{ id: '2', name: 'Urgent', color: 4 }])
  expect(associations).toMatchObject([{ type: 'add', association: { chatId: CHAT, labelId: '2' } }])
  expect(deleted.flat()).toEqual([CHAT])
  sibling.connect()
  const late = heard(sibling, 'contacts.upsert')
  await until(() => late.flat().some(({ name }) => name === 'Frieda Friend'))
  await until(() => sibling.auth.creds.me?.name === 'By phone')
})

test('phone and companions build on what the others wrote', async () => {
  const { world, client } = await worldWithTwo()
  const sibling = await world.linked(GATEWAY)
  const updates = heard(sibling, 'chats.update')
  await client.socket.chatModify({ pin: true }, CHAT)
  await set(world, { action: 'pin', chat: FRIEND, pinned: false })
  await sibling.socket.chatModify({ archive: true, lastMessages }, CHAT)
  expect(await set(world, { action: 'archive', chat: FRIEND, archived: false })).toBe(4)
  await client.socket.chatModify({ pin: true }, CHAT)
  await until(() => updates.flat().at(-1)?.pinned)
  expect(await settings(world)).toMatchObject({
    versions: { regular_low: 5 },
    chats: [{ archived: false, pinned: true }],
  })
  await world.restart()
  expect(await settings(world)).toMatchObject({ versions: { regular_low: 5 } })
})

/** The library knows one host for files; here it is this one. */
function fromHere(world: World) {
  setDefaultCACertificates([world.simulator.mediaCa])
  const { origin } = new URL(world.simulator.mediaUrl)
  type Dispatch = (options: object, handler: object) => boolean
  const dispatcher = {
    dispatch(options: object, handler: object) {
      const own = (globalThis as unknown as Record<symbol, { dispatch: Dispatch }>)[
        Symbol.for('undici.globalDispatcher.1')
      ]
      return own?.dispatch({ ...options, origin }, handler)
    },
  }
  return { options: { dispatcher } as unknown as RequestInit }
}

test('who comes late, or has to begin anew, is given a snapshot', async () => {
  const { world } = await worldWithTwo()
  for (let i = 0; i < 120; i += 1) {
    await set(world, { action: 'label', labelid: String(i % 40), name: `label ${i}` })
  }
  const late = await world.linked(GATEWAY)
  late.end()
  late.connect(fromHere(world))
  await late.opened()
  const labels = heard(late, 'labels.edit')
  await late.socket.resyncAppState(['regular'], false)
  expect(labels).toHaveLength(40)
  expect(new Set(labels.map(({ name }) => name)).has('label 119')).toBe(true)
  await late.socket.addLabel(CHAT, { id: '1', name: 'mine', color: 1, deleted: false })
  expect(await settings(world)).toMatchObject({ versions: { regular: 121 } })
})

test('more than one answer holds is fetched in several', async () => {
  const { world, client } = await worldWithTwo()
  const before = client.auth.creds.myAppStateKeyId
  expect(before).toBeDefined()
  client.end()
  for (let i = 0; i < 80; i += 1)
    await set(world, { action: 'label', labelid: String(i), name: `label ${i}` })
  client.connect()
  const labels = heard(client, 'labels.edit')
  await until(() => labels.length >= 80)
  expect(new Set(labels.map(({ id }) => id)).size).toBe(80)
})

test('a contact that was removed may be added again', async () => {
  const { world, client } = await worldWithTwo()
  const contacts = heard(client, 'contacts.upsert')
  await set(world, { action: 'contact', chat: FRIEND, name: 'Frieda' })
  await set(world, { action: 'contact', chat: FRIEND, name: null })
  expect((await settings(world)).contacts).toEqual([])
  await set(world, { action: 'contact', chat: FRIEND, name: 'Frieda anew' })
  await until(() => contacts.flat().some(({ name }) => name === 'Frieda anew'))
  expect((await settings(world)).contacts).toMatchObject([{ jid: NEUTRAL, name: 'Frieda anew' }])
})

test('faults are for these requests too', async () => {
  const { world, client } = await worldWithTwo()
  await world.post('/faults', { kind: 'refuse', code: 429, xmlns: XMLNS, count: 1 })
  await expect(client.socket.chatModify({ pin: true }, CHAT)).rejects.toMatchObject({ data: 429 })
  await world.post('/faults', { kind: 'silent', xmlns: XMLNS, tag: 'sync', count: 1 })
  const asked = client.socket.query(
    {
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', xmlns: XMLNS, type: 'set' },
      content: [{ tag: 'sync', attrs: {}, content: [] }],
    },
    300,
  )
  await expect(asked).rejects.toThrow('Timed Out')
  await client.socket.chatModify({ pin: true }, CHAT)
  expect(await settings(world)).toMatchObject({ chats: [{ pinned: true }] })
})
