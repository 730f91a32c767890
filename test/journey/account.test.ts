// The account itself through the whole gateway: what the network has of it, and what others see.

import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, waitForMessage, causeFault } = await borrowScene()

const toPersonJid = (number: string) => `${number}@s.msgnet.net`
const postRequest = (path: string, body: object) => device.caller.post(path, body)
const readMessageOnPhone = (): Promise<Seen> => world.sim('GET', `/phones/${device.number}/profile`)

test('a blocked person is listed by phone number, whose messages arrive again only after the person is unblocked', async () => {
  const anna = await createPhone(world, 'Anna')
  const blocked = await postRequest('/chat/block', { number: anna, block: true })
  expect(blocked.body).toEqual({ response: 'Blocked', blockList: [toPersonJid(anna)] })
  expect((await readMessageOnPhone()).blocked).toEqual([toPersonJid(anna)])
  expect((await device.caller.get('/chat/blocklist')).body.blockList).toEqual([toPersonJid(anna)])
  const body = await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'lost' })
  const again = await postRequest('/chat/block', { number: anna, block: false })
  expect(again.body).toEqual({ response: 'Unblocked', blockList: [] })
  const { id } = await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'heard' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  expect((await postRequest('/message/find', { id: body.id })).body.messages).toEqual([])
})

test('a number without an account and a group cannot be blocked', async () => {
  const refused = await postRequest('/chat/block', { number: '5511900000009', block: true })
  expect(refused).toMatchObject({ status: 422, body: { error: 'not_on_network' } })
})

test('a block is not made if the list that its answer needs is refused, and neither is a change of privacy', async () => {
  const anna = await createPhone(world, 'Anna')
  await causeFault('refuse', { xmlns: 'blocklist', tag: 'get ', code: 406, count: 1 })
  const block = await postRequest('/chat/block', { number: anna, block: true })
  await causeFault('refuse', { xmlns: 'privacy', tag: 'get privacy', code: 406, count: 1 })
  const change = await postRequest('/instance/privacy', { last: 'none' })
  for (const { status, body } of [block, change])
    expect([status, body.error]).toEqual([422, 'operation_refused'])
  const { blocked, privacy } = await readMessageOnPhone()
  expect([blocked, privacy.last]).toEqual([[], 'all'])
})

test('privacy settings are read from the network and changed field by field', async () => {
  await world.sim('PATCH', `/phones/${device.number}/profile`, { privacy: { calladd: 'known' } })
  const before = await device.caller.get('/instance/privacy')
  expect(before.body).toMatchObject({ groupadd: 'all', calladd: 'known' })
  const changed = await postRequest('/instance/privacy', { groupadd: 'contacts', online: 'match_last_seen' })
  expect(changed.body).toEqual({ ...before.body, groupadd: 'contacts', online: 'match_last_seen' })
  expect((await readMessageOnPhone()).privacy).toMatchObject({
    groupadd: 'contacts',
    online: 'match_last_seen',
  })
  expect((await postRequest('/instance/privacy', {})).body).toEqual(changed.body)
})

test('the account is shown as available or unavailable, as requested', async () => {
  expect((await readMessageOnPhone()).available).toBe(false)
  const there = await postRequest('/instance/presence', { presence: 'available' })
  expect(there.body).toEqual({ response: 'Presence updated' })
  expect((await readMessageOnPhone()).available).toBe(true)
  await postRequest('/instance/presence', { presence: 'unavailable' })
  expect((await readMessageOnPhone()).available).toBe(false)
})

test('a new profile name is on the phone, in the status and in later messages', async () => {
  const named = await postRequest('/profile/name', { name: 'The Corner Shop' })
  expect(named.body).toMatchObject({ success: true, profile: { name: 'The Corner Shop' } })
  expect((await readMessageOnPhone()).name).toBe('The Corner Shop')
  const readStatus = () => device.caller.get('/instance/status')
  await until(async () => (await readStatus()).body.instance.profileName === 'The Corner Shop')
  // The phone's own change comes in between: the next one builds on it.
  await world.sim('POST', `/phones/${device.number}/settings`, { action: 'name', name: 'By phone' })
  expect((await postRequest('/profile/name', { name: 'Once more' })).status).toBe(200)
  expect((await readMessageOnPhone()).name).toBe('Once more')
})

test('the about text is read, changed and removed, and is on the phone', async () => {
  const readAbout = async () => (await device.caller.get('/profile/about')).body
  await world.sim('PATCH', `/phones/${device.number}/profile`, { about: 'By phone' })
  expect(await readAbout()).toEqual({ about: 'By phone' })
  const changed = await postRequest('/profile/about', { about: ' Open till five 👋 ' })
  expect(changed.body).toMatchObject({ success: true, profile: { about: 'Open till five 👋' } })
  expect((await readMessageOnPhone()).about).toBe('Open till five 👋')
  expect(await readAbout()).toEqual({ about: 'Open till five 👋' })
  expect((await postRequest('/profile/about', { about: '' })).body.profile.about).toBe('')
  expect(await readAbout()).toEqual({ about: '' })
})

test('a profile picture is stored on the network as a JPEG, and can be removed', async () => {
  const square = sharp({ create: { width: 900, height: 900, channels: 3, background: 'teal' } })
  const image = (await square.png().toBuffer()).toString('base64')
  const set = await postRequest('/profile/image', { image })
  expect(set.body).toMatchObject({ success: true, profile: { image_updated: true, image_removed: false } })
  expect((await readMessageOnPhone()).picture).toMatchObject({ width: 640, height: 640 })
  const gone = await postRequest('/profile/image', { image: 'delete' })
  expect(gone.body.profile).toMatchObject({ image_updated: false, image_removed: true })
  expect((await readMessageOnPhone()).picture).toBeNull()
  const bad = await postRequest('/profile/image', { image: Buffer.from('no image').toString('base64') })
  expect(bad).toMatchObject({ status: 415, body: { error: 'invalid_image' } })
})

test('messages are marked read by their ids, with one result for each', async () => {
  const anna = await createPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: anna, to: device.number, text: 'read me' })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  const own = (await postRequest('/send/text', { number: anna, text: 'ours' })).body.messageid
  const { body } = await postRequest('/message/markread', { id: [id, own, 'NOWHERE'] })
  expect(body.results).toEqual([
    { message_id: id, status: 'success', error: '' },
    { message_id: own, status: 'failed', error: 'invalid_message' },
    { message_id: 'NOWHERE', status: 'failed', error: 'message_not_found' },
  ])
  const { receipts } = await world.sim('GET', `/receipts?number=${device.number}`)
  const read = (receipts as Seen[]).filter(({ type }) => type === 'read').flatMap(({ ids }) => ids)
  expect(read).toEqual([id])
  expect((await postRequest('/chat/find', { unread: true })).text).not.toContain(toPersonJid(anna))
})

test('a renamed instance has its new name in its events', async () => {
  const { body } = await postRequest('/instance/updateInstanceName', { name: ' Corner ' })
  expect(body).toMatchObject({ id: device.id, name: 'Corner' })
  expect((await device.caller.get('/instance/status')).body.instance.name).toBe('Corner')
  const { id } = await world.sim('POST', '/messages', {
    from: await createPhone(world),
    to: device.number,
    text: 'hello',
  })
  const envelope = await waitForEvent('messages', ({ message }) => message.messageid === id)
  expect(envelope.instanceName).toBe('Corner')
})

test('a send without a delay of its own uses the delay of the instance, and shows typing', async () => {
  const { body } = await postRequest('/instance/updateDelaySettings', { msg_delay_min: 1, msg_delay_max: 1 })
  expect(body.instance).toMatchObject({ msg_delay_min: 1, msg_delay_max: 1 })
  const [anna, ben] = [await createPhone(world), await createPhone(world)]
  const listChatStates = async (to: string) => {
    const { entries } = await world.sim('GET', `/log?number=${device.number}`)
    return (entries as Seen[]).filter((entry) => entry.what === 'chatstate' && entry.to === toPersonJid(to))
  }
  const begun = performance.now()
  expect((await postRequest('/send/text', { number: anna, text: 'slowly' })).status).toBe(200)
  // A timer may be some milliseconds early; there is no limit for how late it may be.
  expect(performance.now() - begun).toBeGreaterThan(990)
  await waitForMessage(anna, ({ text }) => text === 'slowly')
  expect((await listChatStates(anna)).map(({ state }) => state)).toEqual(['composing', 'paused'])
  expect((await postRequest('/send/text', { number: ben, text: 'at once', delay: 0 })).status).toBe(200)
  expect(await listChatStates(ben)).toEqual([])
  await postRequest('/instance/updateDelaySettings', { msg_delay_min: 0, msg_delay_max: 0 })
  expect((await postRequest('/send/text', { number: ben, text: 'at once again' })).status).toBe(200)
  expect(await listChatStates(ben)).toEqual([])
})
