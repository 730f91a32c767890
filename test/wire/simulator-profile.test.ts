// Profile, privacy and block list of an account: changed by the library, and on the simulated phone.
import { setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { collectEvents, findRefusal } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000171'
const FRIEND = '491700000172'
const OTHER = '491700000173'
const toPn = (number: string) => `${number}@s.whatsapp.net`
const toNeutral = (number: string) => `${number}@s.msgnet.net`

const PIXEL = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==',
  'base64',
)

async function openWorldWithTwo() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  const friend = await world.linkClient(FRIEND)
  return { world, client, friend }
}

const readProfile = async (world: World) => (await world.get(`/phones/${GATEWAY}/profile`)).body
const changeProfile = (world: World, body: object) =>
  world.callControl('PATCH', `/phones/${GATEWAY}/profile`, body)

const buildPrivacyQuery = (name: string, value: string) => ({
  tag: 'iq',
  attrs: { xmlns: 'privacy', to: '@s.whatsapp.net', type: 'set' },
  content: [{ tag: 'privacy', attrs: {}, content: [{ tag: 'category', attrs: { name, value } }] }],
})

test('each privacy category has its own values', async () => {
  const { world, client } = await openWorldWithTwo()
  const { socket } = client
  await socket.updateLastSeenPrivacy('contacts')
  await socket.updateOnlinePrivacy('match_last_seen')
  await socket.updateProfilePicturePrivacy('none')
  await socket.updateStatusPrivacy('contact_blacklist')
  await socket.updateReadReceiptsPrivacy('none')
  await socket.updateCallPrivacy('known')
  await socket.updateMessagesPrivacy('contacts')
  const set = {
    last: 'contacts',
    online: 'match_last_seen',
    profile: 'none',
    status: 'contact_blacklist',
    groupadd: 'all',
    calladd: 'known',
    messages: 'contacts',
    readreceipts: 'none',
  }
  expect(await socket.fetchPrivacySettings(true)).toEqual(set)
  expect((await readProfile(world)).privacy).toEqual(set)
  for (const [name, value] of [
    ['readreceipts', 'contacts'],
    ['online', 'none'],
    ['nothing', 'all'],
  ] as const) {
    expect(await findRefusal(socket.query(buildPrivacyQuery(name, value)))).toBe(400)
  }
  expect((await changeProfile(world, { privacy: { online: 'none' } })).status).toBe(400)
  await changeProfile(world, { privacy: { last: 'none' } })
  expect(await socket.fetchPrivacySettings(true)).toMatchObject({ last: 'none' })
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a block on the phone reaches its companions, and a block by a companion the phone', async () => {
  const { world, client, friend } = await openWorldWithTwo()
  const changes = collectEvents(client, 'blocklist.update')
  const lid = String((await world.get(`/phones/${FRIEND}`)).body.lid)
  await changeProfile(world, { block: [FRIEND] })
  await until(() => changes.length === 1)
  expect(changes[0]).toEqual({ blocklist: [lid], type: 'add' })
  const calls = collectEvents(client, 'call')
  await world.post('/calls', { from: FRIEND, to: GATEWAY })
  await friend.socket.sendMessage(toPn(GATEWAY), { text: 'never heard' })
  await changeProfile(world, { unblock: [FRIEND] })
  await until(() => changes.length === 2)
  expect(changes[1]).toEqual({ blocklist: [lid], type: 'remove' })
  expect(calls).toEqual([])
  const own = await world.linkClient(GATEWAY)
  await own.socket.updateBlockStatus(toPn(FRIEND), 'block')
  await until(() => changes.length === 3)
  expect((await readProfile(world)).blocked).toEqual([toNeutral(FRIEND)])
  expect(await findRefusal(own.socket.updateBlockStatus(toPn(GATEWAY), 'block'))).toBe(406)
})

test('a profile picture is set, notified to chat partners, hidden from others, and removed', async () => {
  const { world, client, friend } = await openWorldWithTwo()
  setDefaultCACertificates([world.simulator.mediaCa])
  const stranger = await world.linkClient(OTHER)
  await client.socket.sendMessage(toPn(FRIEND), { text: 'hello' })
  const updates = collectEvents(friend, 'contacts.update')
  const own = client.socket.user?.id ?? ''
  const response = await client.socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture' },
    content: [{ tag: 'picture', attrs: { type: 'image' }, content: PIXEL }],
  })
  expect(response).toMatchObject({ attrs: { type: 'result' } })
  await until(() => updates.flat().some(({ id, imgUrl }) => id === toPn(GATEWAY) && imgUrl === 'changed'))
  expect((await readProfile(world)).picture).toMatchObject({ width: 1, height: 1 })
  expect(await friend.socket.profilePictureUrl(toPn(GATEWAY), 'image')).toMatch(/^https:/)
  await client.socket.updateProfilePicturePrivacy('contacts')
  expect(await friend.socket.profilePictureUrl(toPn(GATEWAY), 'image')).toMatch(/^https:/)
  expect(await findRefusal(stranger.socket.profilePictureUrl(toPn(GATEWAY), 'image'))).toBe(401)
  await world.post(`/phones/${GATEWAY}/settings`, { action: 'contact', chat: OTHER, name: 'Now known' })
  expect(await stranger.socket.profilePictureUrl(toPn(GATEWAY), 'image')).toMatch(/^https:/)
  await client.socket.removeProfilePicture(own)
  await until(() => updates.flat().some(({ imgUrl }) => imgUrl === 'removed'))
  expect((await readProfile(world)).picture).toBeNull()
  expect((await changeProfile(world, { picture: 'aGVsbG8=' })).status).toBe(406)
  const ownUpdates = collectEvents(client, 'contacts.update')
  await changeProfile(world, { picture: PIXEL.toString('base64') })
  await until(() => ownUpdates.flat().some(({ imgUrl }) => imgUrl === 'changed'))
})

test('the about text is shown as privacy allows, and limited in length', async () => {
  const { world, client, friend } = await openWorldWithTwo()
  await client.socket.updateProfileStatus('out for lunch')
  const readAbout = async () => JSON.stringify(await friend.socket.fetchStatus(toPn(GATEWAY)))
  expect(await readAbout()).toContain('out for lunch')
  expect(await readProfile(world)).toMatchObject({ about: 'out for lunch' })
  // As new clients do it.
  const change = { text: 'back again', ephemeral_duration_sec: 0 }
  const query = { tag: 'query', attrs: { query_id: '9152604461510864' } }
  const sendAboutQuery = (input: object) =>
    client.socket.query({
      tag: 'iq',
      attrs: { id: client.socket.generateMessageTag(), to: '@s.whatsapp.net', type: 'get', xmlns: 'w:mex' },
      content: [{ ...query, content: Buffer.from(JSON.stringify({ variables: { input } })) }],
    })
  await sendAboutQuery(change)
  expect(await readAbout()).toContain('back again')
  expect(await findRefusal(sendAboutQuery({ text: 'x'.repeat(140) }))).toBe(400)
  await client.socket.updateStatusPrivacy('none')
  expect(await readAbout()).not.toContain('back again')
  expect(await findRefusal(client.socket.updateProfileStatus('x'.repeat(140)))).toBe(406)
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('the network shows whether an account is available', async () => {
  const { world, client } = await openWorldWithTwo()
  client.auth.creds.me = { ...client.socket.user, id: client.socket.user?.id ?? '', name: 'Gateway' }
  await client.socket.sendPresenceUpdate('available')
  await until(async () => (await readProfile(world)).available)
  await client.socket.sendPresenceUpdate('unavailable')
  await until(async () => !(await readProfile(world)).available)
})

test('a companion learns at its linking that the account is a business account', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: GATEWAY, name: 'A Shop', business: true })
  const client = await world.linkClient(GATEWAY)
  expect(client.auth.creds).toMatchObject({ platform: 'smba', me: { name: 'A Shop' } })
  expect(await readProfile(world)).toMatchObject({ business: true, name: 'A Shop' })
})
