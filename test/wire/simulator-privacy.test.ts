// Privacy, block list, presence and typing.
import type { BinaryNode } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000151'
const FRIEND = '491700000152'
const CHAT = `${FRIEND}@s.whatsapp.net`

async function openWorldWithTwo() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  const friend = await world.linkClient(FRIEND)
  return { world, client, friend }
}

test('privacy settings are stored, and decide which accounts may add it to groups', async () => {
  const { world, client, friend } = await openWorldWithTwo()
  await client.socket.updateGroupsAddPrivacy('contacts')
  await client.socket.updateDefaultDisappearingMode(86_400)
  expect(await client.socket.fetchPrivacySettings(true)).toMatchObject({ groupadd: 'contacts', last: 'all' })
  const { id } = await friend.socket.groupCreate('Club', [CHAT])
  const addToGroup = () => friend.socket.groupParticipantsUpdate(id, [`${GATEWAY}@s.whatsapp.net`], 'add')
  expect((await addToGroup()).map(({ status }) => status)).toEqual(['403'])
  await client.socket.sendMessage(CHAT, { text: 'now we know each other' })
  await until(async () => (await addToGroup())[0]?.status === '200')
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('messages of a blocked account are dropped until it is unblocked', async () => {
  const { world, client } = await openWorldWithTwo()
  const { socket } = client
  const sendFromPhone = async (text: string) =>
    String((await world.post('/messages', { from: FRIEND, to: GATEWAY, text })).body.id)
  await client.waitForText(await sendFromPhone('hello'))
  await socket.updateBlockStatus(CHAT, 'block')
  const { lid } = (await world.get(`/phones/${FRIEND}`)).body
  expect(await socket.fetchBlocklist()).toEqual([lid])
  const dropped = await sendFromPhone('lost')
  await socket.updateBlockStatus(CHAT, 'unblock')
  expect(await socket.fetchBlocklist()).toEqual([])
  await client.waitForText(await sendFromPhone('heard'))
  expect(client.messages.some(({ key }) => key.id === dropped)).toBe(false)
})

test('the other side receives typing and presence', async () => {
  const { world, client, friend } = await openWorldWithTwo()
  const seen: string[] = []
  const types: (string | undefined)[] = []
  friend.socket.ws.on('CB:presence', ({ attrs }: BinaryNode) => types.push(attrs.type))
  friend.socket.ev.on('presence.update', ({ presences }) => {
    seen.push(...Object.values(presences).map(({ lastKnownPresence }) => lastKnownPresence))
  })
  // The network shows others only to those who are online themselves.
  friend.auth.creds.me = { ...friend.socket.user, id: friend.socket.user?.id ?? '', name: 'Friend' }
  await friend.socket.sendPresenceUpdate('available')
  await friend.socket.presenceSubscribe(`${GATEWAY}@s.whatsapp.net`)
  await until(() => seen.length === 1)
  await client.socket.sendPresenceUpdate('recording', CHAT)
  await client.socket.sendPresenceUpdate('paused', CHAT)
  await until(() => seen.length === 3)
  client.auth.creds.me = { ...client.socket.user, id: client.socket.user?.id ?? '', name: 'Gateway' }
  await client.socket.sendPresenceUpdate('available')
  await until(() => seen.length === 4)
  client.end()
  await until(() => seen.length === 5)
  expect(seen).toEqual(['unavailable', 'recording', 'available', 'available', 'unavailable'])
  // `available` is a presence without a type.
  expect(types).toEqual(['unavailable', undefined, 'unavailable'])
  const states = (await world.readList(`/log?number=${GATEWAY}`, 'entries')).filter(
    ({ what }) => what === 'chatstate',
  )
  expect(states.map(({ state, to }) => [state, to])).toEqual([
    ['recording', `${FRIEND}@s.msgnet.net`],
    ['paused', `${FRIEND}@s.msgnet.net`],
  ])
})
