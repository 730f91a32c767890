// The settings that an account's devices have in common, written and read by the library and by the simulated phone.
import { setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { collectEvents } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000161'
const FRIEND = '491700000162'
const CHAT = `${FRIEND}@s.whatsapp.net`
const NEUTRAL = `${FRIEND}@s.msgnet.net`
const XMLNS = 'w:sync:app:state'

async function openWorldWithTwo() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND, name: 'Friend' })
  return { world, client }
}

const lastMessages = [{ key: { remoteJid: CHAT, fromMe: false, id: 'A1' }, messageTimestamp: 1_700_000_000 }]
const readSettings = async (world: World) => (await world.get(`/phones/${GATEWAY}/settings`)).body
const changeSetting = async (world: World, change: object) => {
  const response = await world.post(`/phones/${GATEWAY}/settings`, change)
  expect(response.status).toBe(200)
  return Number(response.body.version)
}

test('the phone shows the settings that a companion changes', async () => {
  const { world, client } = await openWorldWithTwo()
  const { socket } = client
  await socket.chatModify({ archive: true, lastMessages }, CHAT)
  await socket.chatModify({ pin: true }, CHAT)
  await socket.chatModify({ mute: 1_800_000_000_000 }, CHAT)
  await socket.chatModify({ markRead: false, lastMessages }, CHAT)
  await socket.addOrEditContact(CHAT, { fullName: 'Frieda Friend', firstName: 'Frieda' })
  await socket.addLabel(CHAT, { id: '7', name: 'Customers', color: 3, deleted: false })
  await socket.addChatLabel(CHAT, '7')
  await socket.updateProfileName('New Name')
  expect(await readSettings(world)).toMatchObject({
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
  const now = await readSettings(world)
  expect(now).toMatchObject({
    chats: [{ archived: false, mutedUntil: null, pinned: true, clearedAt: expect.any(Number) }],
    contacts: [],
    labels: [{ labelid: '7', chats: [] }],
  })
  expect(now.chats).toMatchObject([{ deletedAt: expect.any(Number) }])
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a setting of the phone reaches all its companions, also those that were offline', async () => {
  const { world, client } = await openWorldWithTwo()
  const sibling = await world.linkClient(GATEWAY)
  sibling.end()
  const chats = collectEvents(client, 'chats.update')
  const contacts = collectEvents(client, 'contacts.upsert')
  const labels = collectEvents(client, 'labels.edit')
  const associations = collectEvents(client, 'labels.association')
  const deleted = collectEvents(client, 'chats.delete')
  await changeSetting(world, { action: 'archive', chat: FRIEND, archived: true })
  await changeSetting(world, { action: 'pin', chat: FRIEND, pinned: true })
  await changeSetting(world, { action: 'mute', chat: FRIEND, until: -1 })
  await changeSetting(world, { action: 'read', chat: FRIEND, read: false })
  await changeSetting(world, { action: 'contact', chat: FRIEND, name: 'Frieda Friend' })
  await changeSetting(world, { action: 'label', labelid: '2', name: 'Urgent', color: 4 })
  await changeSetting(world, { action: 'label_chat', chat: FRIEND, labelid: '2', labeled: true })
  await changeSetting(world, { action: 'delete', chat: FRIEND })
  await changeSetting(world, { action: 'name', name: 'By phone' })
  await until(() => client.auth.creds.me?.name === 'By phone')
  // Names are reported at once, the rest together with other events of the moment.
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
  const late = collectEvents(sibling, 'contacts.upsert')
  await until(() => late.flat().some(({ name }) => name === 'Frieda Friend'))
  await until(() => sibling.auth.creds.me?.name === 'By phone')
})

test('phone and companions apply the patches of each other', async () => {
  const { world, client } = await openWorldWithTwo()
  const sibling = await world.linkClient(GATEWAY)
  const updates = collectEvents(sibling, 'chats.update')
  await client.socket.chatModify({ pin: true }, CHAT)
  await changeSetting(world, { action: 'pin', chat: FRIEND, pinned: false })
  await sibling.socket.chatModify({ archive: true, lastMessages }, CHAT)
  expect(await changeSetting(world, { action: 'archive', chat: FRIEND, archived: false })).toBe(4)
  await client.socket.chatModify({ pin: true }, CHAT)
  await until(() => updates.flat().at(-1)?.pinned)
  expect(await readSettings(world)).toMatchObject({
    versions: { regular_low: 5 },
    chats: [{ archived: false, pinned: true }],
  })
  await world.restart()
  expect(await readSettings(world)).toMatchObject({ versions: { regular_low: 5 } })
})

/** The library has one preset host for files; here it is this one. */
function isFromHere(world: World) {
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

test('a companion that is far behind, or begins again, gets a snapshot', async () => {
  const { world } = await openWorldWithTwo()
  for (let i = 0; i < 120; i += 1) {
    await changeSetting(world, { action: 'label', labelid: String(i % 40), name: `label ${i}` })
  }
  const late = await world.linkClient(GATEWAY)
  late.end()
  late.connect(isFromHere(world))
  await late.waitUntilOpen()
  const labels = collectEvents(late, 'labels.edit')
  await late.socket.resyncAppState(['regular'], false)
  expect(labels).toHaveLength(40)
  expect(new Set(labels.map(({ name }) => name)).has('label 119')).toBe(true)
  await late.socket.addLabel(CHAT, { id: '1', name: 'mine', color: 1, deleted: false })
  expect(await readSettings(world)).toMatchObject({ versions: { regular: 121 } })
})

test('patches that do not fit into one response are fetched in several', async () => {
  const { world, client } = await openWorldWithTwo()
  const before = client.auth.creds.myAppStateKeyId
  expect(before).toBeDefined()
  client.end()
  for (let i = 0; i < 80; i += 1)
    await changeSetting(world, { action: 'label', labelid: String(i), name: `label ${i}` })
  client.connect()
  const labels = collectEvents(client, 'labels.edit')
  await until(() => labels.length >= 80)
  expect(new Set(labels.map(({ id }) => id)).size).toBe(80)
})

test('a contact that was removed may be added again', async () => {
  const { world, client } = await openWorldWithTwo()
  const contacts = collectEvents(client, 'contacts.upsert')
  await changeSetting(world, { action: 'contact', chat: FRIEND, name: 'Frieda' })
  await changeSetting(world, { action: 'contact', chat: FRIEND, name: null })
  expect((await readSettings(world)).contacts).toEqual([])
  await changeSetting(world, { action: 'contact', chat: FRIEND, name: 'Frieda anew' })
  await until(() => contacts.flat().some(({ name }) => name === 'Frieda anew'))
  expect((await readSettings(world)).contacts).toMatchObject([{ jid: NEUTRAL, name: 'Frieda anew' }])
})

test('faults affect app-state requests too', async () => {
  const { world, client } = await openWorldWithTwo()
  await world.post('/faults', { kind: 'refuse', code: 429, xmlns: XMLNS, count: 1 })
  await expect(client.socket.chatModify({ pin: true }, CHAT)).rejects.toMatchObject({ data: 429 })
  await world.post('/faults', { kind: 'silent', xmlns: XMLNS, tag: 'sync', count: 1 })
  const query = client.socket.query(
    {
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', xmlns: XMLNS, type: 'set' },
      content: [{ tag: 'sync', attrs: {}, content: [] }],
    },
    300,
  )
  await expect(query).rejects.toThrow('Timed Out')
  await client.socket.chatModify({ pin: true }, CHAT)
  expect(await readSettings(world)).toMatchObject({ chats: [{ pinned: true }] })
})
