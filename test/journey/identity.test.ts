// Both forms of a person's id: what the network has told of whom, where it is known from, and nothing made up.

import { expect, test } from 'vitest'
import { connected, makeDevice, makePhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'
import { person } from './asked/row.ts'

const { world, device, told } = await setScene()

const resolve = async (...ids: string[]): Promise<Seen> =>
  (await device.caller.post('/v1/identity/resolve', { ids })).body
const lidOf = async (number: string) => (await world.sim('GET', `/phones/${number}`)).lid as string

test('who has written or was written to is known by both forms, each found by the other', async () => {
  const [writer, reader] = [await makePhone(world), await makePhone(world)]
  const { id } = await world.sim('POST', '/messages', {
    ...{ from: writer, to: device.number, text: 'hello', addressing: 'lid' },
  })
  await told('messages', ({ message }) => message.messageid === id)
  await device.caller.post('/send/text', { number: reader, text: 'hello' })
  for (const number of [writer, reader]) {
    const [jid, lid] = [person(number), await lidOf(number)]
    expect(await resolve(number, lid)).toEqual([
      { id: jid, jid, lid, source: 'network' },
      { id: lid, jid, lid, source: 'network' },
    ])
  }
})

test('of whom nothing was told only the form is known that was asked for', async () => {
  const stranger = await makePhone(world)
  const [jid, lid] = [person(stranger), await lidOf(stranger)]
  expect(await resolve(stranger, lid, '120363000000000001@g.us')).toEqual([
    { id: jid, jid, lid: '', source: '' },
    { id: lid, jid: '', lid, source: '' },
    { id: '120363000000000001@g.us', jid: '', lid: '', source: '' },
  ])
  // And the network was not asked for it.
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  expect(JSON.stringify(entries)).not.toContain(stranger)
})

test('without a connection it is told from what is stored: chats, and members of groups', async () => {
  const [owner, member, reader] = [await makePhone(world), await makePhone(world), await makePhone(world)]
  await device.caller.post('/send/text', { number: reader, text: 'hello' })
  const { jid: group } = await world.sim('POST', '/groups', {
    ...{ subject: 'Theirs', owner, participants: [member, device.number] },
  })
  await told('groups', ({ event }) => event.JID === group)
  await world.sim('POST', '/faults', { kind: 'unreachable' })
  await world.sim('POST', '/faults', { kind: 'close', number: device.number })
  await until(async () => !(await device.caller.get('/instance/status')).body.loggedIn)
  const found = await resolve(reader, await lidOf(member))
  expect(found).toEqual([
    { id: person(reader), jid: person(reader), lid: await lidOf(reader), source: 'chats' },
    { id: await lidOf(member), jid: person(member), lid: await lidOf(member), source: 'groups' },
  ])
  await world.sim('DELETE', '/faults')
  await connected(device)
})

test('what is no id is refused, and an instance that was never linked knows nobody', async () => {
  const refused = await device.caller.post('/v1/identity/resolve', { ids: ['nobody'] })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_number'])
  const fresh = await makeDevice(world)
  const answer = await fresh.caller.post('/v1/identity/resolve', { ids: ['5511999999999'] })
  expect([answer.status, answer.body]).toEqual([
    200,
    [{ id: person('5511999999999'), jid: person('5511999999999'), lid: '', source: '' }],
  ])
})

test.each(['pn', 'lid'] as const)(
  'who goes on under another number is told as left under the one and come under the other (%s)',
  async (addressing) => {
    const [owner, former, present] = [await makePhone(world), await makePhone(world), await makePhone(world)]
    const { jid: group } = await world.sim('POST', '/groups', {
      ...{ subject: 'Theirs', owner, participants: [former, device.number], admins: [former], addressing },
    })
    await told('groups', ({ event }) => event.JID === group)
    await world.sim('POST', `/groups/${group}/participants`, {
      ...{ action: 'modify', by: former, participants: [present] },
    })
    const { type, event } = await told('groups', (one) => one.event.JID === group && one.type === 'Group')
    expect(type).toBe('Group')
    expect(event).toMatchObject({
      ...{ Join: [person(present)], Leave: [person(former)], Promote: [], Demote: [] },
      ...{ sender_pn: person(former), sender_lid: await lidOf(former) },
    })
    const { Participants } = (await device.caller.post('/group/info', { groupjid: group })).body
    const byNumber = new Map((Participants as Seen[]).map((one) => [one.PhoneNumber, one]))
    expect([...byNumber.keys()].sort()).toEqual([owner, present, device.number].map(person).sort())
    expect(byNumber.get(person(present))).toMatchObject({ LID: await lidOf(present), IsAdmin: true })
    await until(async () => (await resolve(present))[0].source === 'network')
    expect((await resolve(present))[0]).toMatchObject({ jid: person(present), lid: await lidOf(present) })
    // What is sent from now on is for him.
    await device.caller.post('/send/text', { number: group, text: 'welcome' })
    await until(async () => {
      const { messages } = await world.sim('GET', `/phones/${present}/inbox`)
      return (messages as Seen[]).some(({ text }) => text === 'welcome')
    })
  },
)
