// What an account shows of itself, lets others do and blocks: changed by the library, and on the simulated phone.
import { setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { heard, refusal } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000171'
const FRIEND = '491700000172'
const OTHER = '491700000173'
const pn = (number: string) => `${number}@s.whatsapp.net`
const neutral = (number: string) => `${number}@s.msgnet.net`

const PIXEL = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==',
  'base64',
)

async function worldWithTwo() {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  const friend = await world.linked(FRIEND)
  return { world, client, friend }
}

const profile = async (world: World) => (await world.get(`/phones/${GATEWAY}/profile`)).body
const change = (world: World, body: object) => world.call('PATCH', `/phones/${GATEWAY}/profile`, body)

const privacyQuery = (name: string, value: string) => ({
  tag: 'iq',
  attrs: { xmlns: 'privacy', to: '@s.whatsapp.net', type: 'set' },
  content: [{ tag: 'privacy', attrs: {}, content: [{ tag: 'category', attrs: { name, value } }] }],
})

test('privacy has its categories, each with values of its own', async () => {
  const { world, client } = await worldWithTwo()
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
  expect((await profile(world)).privacy).toEqual(set)
  for (const [name, value] of [
    ['readreceipts', 'contacts'],
    ['online', 'none'],
    ['nothing', 'all'],
  ] as const) {
    expect(await refusal(socket.query(privacyQuery(name, value)))).toBe(400)
  }
  expect((await change(world, { privacy: { online: 'none' } })).status).toBe(400)
  await change(world, { privacy: { last: 'none' } })
  expect(await socket.fetchPrivacySettings(true)).toMatchObject({ last: 'none' })
  expect(await world.list('/unknown', 'requests')).toEqual([])
})

test('whom the phone blocks its companions hear of, and the phone of whom they block', async () => {
  const { world, client, friend } = await worldWithTwo()
  const changes = heard(client, 'blocklist.update')
  const lid = String((await world.get(`/phones/${FRIEND}`)).body.lid)
  await change(world, { block: [FRIEND] })
  await until(() => changes.length === 1)
  expect(changes[0]).toEqual({ blocklist: [lid], type: 'add' })
  const calls = heard(client, 'call')
  await world.post('/calls', { from: FRIEND, to: GATEWAY })
  await friend.socket.sendMessage(pn(GATEWAY), { text: 'never heard' })
  await change(world, { unblock: [FRIEND] })
  await until(() => changes.length === 2)
  expect(changes[1]).toEqual({ blocklist: [lid], type: 'remove' })
  expect(calls).toEqual([])
  const own = await world.linked(GATEWAY)
  await own.socket.updateBlockStatus(pn(FRIEND), 'block')
  await until(() => changes.length === 3)
  expect((await profile(world)).blocked).toEqual([neutral(FRIEND)])
  expect(await refusal(own.socket.updateBlockStatus(pn(GATEWAY), 'block'))).toBe(406)
})

test('a profile picture is set, told to who writes with the account, hidden from others, and taken away', async () => {
  const { world, client, friend } = await worldWithTwo()
  setDefaultCACertificates([world.simulator.mediaCa])
  const stranger = await world.linked(OTHER)
  await client.socket.sendMessage(pn(FRIEND), { text: 'hello' })
  const told = heard(friend, 'contacts.update')
  const own = client.socket.user?.id ?? ''
  const answer = await client.socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture' },
    content: [{ tag: 'picture', attrs: { type: 'image' }, content: PIXEL }],
  })
  expect(answer).toMatchObject({ attrs: { type: 'result' } })
  await until(() => told.flat().some(({ id, imgUrl }) => id === pn(GATEWAY) && imgUrl === 'changed'))
  expect((await profile(world)).picture).toMatchObject({ width: 1, height: 1 })
  expect(await friend.socket.profilePictureUrl(pn(GATEWAY), 'image')).toMatch(/^https:/)
  await client.socket.updateProfilePicturePrivacy('contacts')
  expect(await friend.socket.profilePictureUrl(pn(GATEWAY), 'image')).toMatch(/^https:/)
  expect(await refusal(stranger.socket.profilePictureUrl(pn(GATEWAY), 'image'))).toBe(401)
  await world.post(`/phones/${GATEWAY}/settings`, { action: 'contact', chat: OTHER, name: 'Now known' })
  expect(await stranger.socket.profilePictureUrl(pn(GATEWAY), 'image')).toMatch(/^https:/)
  await client.socket.removeProfilePicture(own)
  await until(() => told.flat().some(({ imgUrl }) => imgUrl === 'removed'))
  expect((await profile(world)).picture).toBeNull()
  expect((await change(world, { picture: 'aGVsbG8=' })).status).toBe(406)
  const mine = heard(client, 'contacts.update')
  await change(world, { picture: PIXEL.toString('base64') })
  await until(() => mine.flat().some(({ imgUrl }) => imgUrl === 'changed'))
})

test('what an account says of itself is shown to whom it wants, and no longer than the network takes', async () => {
  const { world, client, friend } = await worldWithTwo()
  await client.socket.updateProfileStatus('out for lunch')
  const about = async () => JSON.stringify(await friend.socket.fetchStatus(pn(GATEWAY)))
  expect(await about()).toContain('out for lunch')
  expect(await profile(world)).toMatchObject({ about: 'out for lunch' })
  // As new clients do it.
  const change = { text: 'back again', ephemeral_duration_sec: 0 }
  const query = { tag: 'query', attrs: { query_id: '9152604461510864' } }
  const asked = (input: object) =>
    client.socket.query({
      ...{
        tag: 'iq',
        attrs: { id: client.socket.generateMessageTag(), to: '@s.whatsapp.net', type: 'get', xmlns: 'w:mex' },
      },
      content: [{ ...query, content: Buffer.from(JSON.stringify({ variables: { input } })) }],
    })
  await asked(change)
  expect(await about()).toContain('back again')
  expect(await refusal(asked({ text: 'x'.repeat(140) }))).toBe(400)
  await client.socket.updateStatusPrivacy('none')
  expect(await about()).not.toContain('back again')
  expect(await refusal(client.socket.updateProfileStatus('x'.repeat(140)))).toBe(406)
  expect(await world.list('/unknown', 'requests')).toEqual([])
})

test('available and unavailable are what the network shows', async () => {
  const { world, client } = await worldWithTwo()
  client.auth.creds.me = { ...client.socket.user, id: client.socket.user?.id ?? '', name: 'Gateway' }
  await client.socket.sendPresenceUpdate('available')
  await until(async () => (await profile(world)).available)
  await client.socket.sendPresenceUpdate('unavailable')
  await until(async () => !(await profile(world)).available)
})

test('a companion hears when it is linked that the account is that of a business', async () => {
  const world = await World.open()
  await world.post('/phones', { number: GATEWAY, name: 'A Shop', business: true })
  const client = await world.linked(GATEWAY)
  expect(client.auth.creds).toMatchObject({ platform: 'smba', me: { name: 'A Shop' } })
  expect(await profile(world)).toMatchObject({ business: true, name: 'A Shop' })
})
