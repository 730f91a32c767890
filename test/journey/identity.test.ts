// Both ids of a person: where each is known from, and that none is made up.

import { expect, test } from 'vitest'
import { createDevice, createPhone, waitUntilConnected } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

const { world, device, waitForEvent } = await borrowScene()

const resolveIds = async (...ids: string[]): Promise<Seen> =>
  (await device.caller.post('/v1/identity/resolve', { ids })).body
const readLid = async (number: string) => (await world.sim('GET', `/phones/${number}`)).lid as string

test('a person in any conversation is known by both ids, and each is found by the other', async () => {
  const [writer, reader] = [await createPhone(world), await createPhone(world)]
  const { id } = await world.sim('POST', '/messages', {
    from: writer,
    to: device.number,
    text: 'hello',
    addressing: 'lid',
  })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  await device.caller.post('/send/text', { number: reader, text: 'hello' })
  for (const number of [writer, reader]) {
    const [jid, lid] = [toPersonJid(number), await readLid(number)]
    expect(await resolveIds(number, lid)).toEqual([
      { id: jid, jid, lid, source: 'network' },
      { id: lid, jid, lid, source: 'network' },
    ])
  }
})

test('of an unknown person only the requested id is known', async () => {
  const stranger = await createPhone(world)
  const [jid, lid] = [toPersonJid(stranger), await readLid(stranger)]
  expect(await resolveIds(stranger, lid, '120363000000000001@g.us')).toEqual([
    { id: jid, jid, lid: '', source: '' },
    { id: lid, jid: '', lid, source: '' },
    { id: '120363000000000001@g.us', jid: '', lid: '', source: '' },
  ])
  // And the network got no request for it.
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  expect(JSON.stringify(entries)).not.toContain(stranger)
})

test('without a connection ids are resolved from stored chats and group members', async () => {
  const [owner, member, reader] = [
    await createPhone(world),
    await createPhone(world),
    await createPhone(world),
  ]
  await device.caller.post('/send/text', { number: reader, text: 'hello' })
  const { jid: group } = await world.sim('POST', '/groups', {
    subject: 'Theirs',
    owner,
    participants: [member, device.number],
  })
  await waitForEvent('groups', ({ event }) => event.JID === group)
  await world.sim('POST', '/faults', { kind: 'unreachable' })
  await world.sim('POST', '/faults', { kind: 'close', number: device.number })
  await until(async () => !(await device.caller.get('/instance/status')).body.loggedIn)
  const found = await resolveIds(reader, await readLid(member))
  expect(found).toEqual([
    { id: toPersonJid(reader), jid: toPersonJid(reader), lid: await readLid(reader), source: 'chats' },
    { id: await readLid(member), jid: toPersonJid(member), lid: await readLid(member), source: 'groups' },
  ])
  await world.sim('DELETE', '/faults')
  await waitUntilConnected(device)
})

test('an invalid id is refused, and an instance that was never linked resolves none', async () => {
  const refused = await device.caller.post('/v1/identity/resolve', { ids: ['nobody'] })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_number'])
  const fresh = await createDevice(world)
  const response = await fresh.caller.post('/v1/identity/resolve', { ids: ['5511999999999'] })
  expect([response.status, response.body]).toEqual([
    200,
    [{ id: toPersonJid('5511999999999'), jid: toPersonJid('5511999999999'), lid: '', source: '' }],
  ])
})

test.each(['pn', 'lid'] as const)(
  'a member who changes his number is reported as left and joined (%s)',
  async (addressing) => {
    const [owner, previous, present] = [
      await createPhone(world),
      await createPhone(world),
      await createPhone(world),
    ]
    const { jid: group } = await world.sim('POST', '/groups', {
      subject: 'Theirs',
      owner,
      participants: [previous, device.number],
      admins: [previous],
      addressing,
    })
    await waitForEvent('groups', ({ event }) => event.JID === group)
    await world.sim('POST', `/groups/${group}/participants`, {
      action: 'modify',
      by: previous,
      participants: [present],
    })
    const { type, event } = await waitForEvent(
      'groups',
      (one) => one.event.JID === group && one.type === 'Group',
    )
    expect(type).toBe('Group')
    expect(event).toMatchObject({
      Join: [toPersonJid(present)],
      Leave: [toPersonJid(previous)],
      Promote: [],
      Demote: [],
      sender_pn: toPersonJid(previous),
      sender_lid: await readLid(previous),
    })
    const { Participants } = (await device.caller.post('/group/info', { groupjid: group })).body
    const byNumber = new Map((Participants as Seen[]).map((one) => [one.PhoneNumber, one]))
    expect([...byNumber.keys()].sort()).toEqual([owner, present, device.number].map(toPersonJid).sort())
    expect(byNumber.get(toPersonJid(present))).toMatchObject({ LID: await readLid(present), IsAdmin: true })
    await until(async () => (await resolveIds(present))[0].source === 'network')
    expect((await resolveIds(present))[0]).toMatchObject({
      jid: toPersonJid(present),
      lid: await readLid(present),
    })
    // The new member gets what is sent from now on.
    await device.caller.post('/send/text', { number: group, text: 'welcome' })
    await until(async () => {
      const { messages } = await world.sim('GET', `/phones/${present}/inbox`)
      return (messages as Seen[]).some(({ text }) => text === 'welcome')
    })
  },
)
