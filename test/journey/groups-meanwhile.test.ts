// Groups that change while something else is under way: members that are added just before a message, groups made during a login.

import { expect, test } from 'vitest'
import { link, makeDevice, makePhone, makeQuietPhone } from '../device.ts'
import { type Seen, setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, shown, inbox, fault, told } = await setScene()

const ask = (path: string, body: object) => device.caller.post(path, body)
const add = (groupjid: string, person: string) =>
  ask('/group/updateParticipants', { groupjid, action: 'add', participants: [person] })
const found = async (name: string) =>
  (await ask('/group/create', { name, participants: [await makeQuietPhone(world)] })).body.JID as string
const written = async (): Promise<number> => {
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  return (entries as Seen[]).filter(({ what, to }) => what === 'message' && to?.endsWith('@g.us')).length
}

test('who has just been added reads the next message, sent at once', async () => {
  const groupjid = await found('Growing')
  for (const turn of ['first', 'second', 'third']) {
    const person = await makePhone(world)
    expect((await add(groupjid, person)).body.groupUpdated[0].Error).toBe(0)
    const { status, body } = await ask('/send/text', { number: groupjid, text: turn })
    expect([status, body.error]).toEqual([200, ''])
    await shown(person, ({ text }) => text === turn)
  }
})

test('a message to a group that the network calls stale is sent once more, and told once', async () => {
  const [groupjid, person] = [await found('Stale'), await makeQuietPhone(world)]
  await add(groupjid, person)
  await fault('ack_error', { code: 421, count: 1, group: groupjid })
  const before = await written()
  const { status, body } = await ask('/send/text', { number: groupjid, text: 'to all' })
  expect([status, body.status, body.error, body.provider_code]).toEqual([200, 'Sent', '', undefined])
  expect(await written()).toBe(before + 2)
  await shown(person, ({ id }) => id === body.messageid)
  expect((await inbox(person)).filter(({ text }) => text === 'to all')).toHaveLength(1)
  const { message } = await told('messages', (envelope) => envelope.message.messageid === body.messageid)
  expect(message.status).toBe('Sent')
})

test('refused twice it is refused, and what the network calls malformed is not repeated', async () => {
  const [groupjid, person] = [await found('Twice'), await makeQuietPhone(world)]
  await add(groupjid, person)
  await fault('ack_error', { code: 421, count: 2, group: groupjid })
  const { status, body } = await ask('/send/text', { number: groupjid, text: 'in vain', track_id: 'twice' })
  expect(body).toMatchObject({ error: 'operation_refused', provider_code: 421, error_key: 'stale_group' })
  expect(status).toBe(422)
  const { messages } = (await ask('/message/find', { track_id: 'twice' })).body
  expect(messages).toMatchObject([{ status: 'Failed', error: '421' }])
  expect(await inbox(person)).toEqual([])
  expect((await ask('/send/text', { number: groupjid, text: 'again' })).status).toBe(200)
  await fault('ack_error', { code: 479, count: 1, group: groupjid })
  const malformed = await ask('/send/text', { number: groupjid, text: 'malformed' })
  expect(malformed).toMatchObject({ status: 422, body: { error_key: 'malformed_message' } })
})

test('a group that changes its addressing is known so, and sent to as it is now', async () => {
  const [groupjid, person] = [await found('Moving'), await makePhone(world)]
  await add(groupjid, person)
  const shown = async () => (await ask('/group/info', { groupjid })).body
  for (const addressing of ['pn', 'lid']) {
    await world.sim('POST', `/groups/${groupjid}/addressing`, { addressing })
    await until(async () => (await shown()).AddressingMode === addressing)
    expect((await ask('/send/text', { number: groupjid, text: addressing })).status).toBe(200)
    await until(async () => (await inbox(person)).some(({ text }) => text === addressing))
  }
})

test('a group that somebody makes while the list of all is on its way is in the list', async () => {
  const owner = await makePhone(world)
  const fresh = await makeDevice(world)
  // Of a device that is not linked yet nobody knows the number: whoever asks for his groups is answered late.
  await world.sim('POST', '/faults', { kind: 'slow', xmlns: 'w:g2', tag: 'participating', ms: 3000 })
  const linked = await link(world, fresh)
  const asked = async () => {
    const { entries } = await world.sim('GET', `/log?number=${linked.number}`)
    return (entries as Seen[]).some(({ child }) => child === 'participating')
  }
  await until(asked)
  const { jid } = await world.sim('POST', '/groups', {
    ...{ subject: 'Meanwhile', owner, participants: [linked.number] },
  })
  const listed = async () => {
    const { groups } = (await linked.caller.get('/group/list')).body
    return ((groups ?? []) as Seen[]).some(({ JID }) => JID === jid)
  }
  await until(listed)
  const before = await world.sim('POST', '/groups', {
    ...{ subject: 'Asked for', owner, participants: [linked.number] },
  })
  await world.sim('DELETE', '/faults')
  // By now the answer that did not have it has come, and more has come after it.
  await until(async () => {
    const { groups } = (await linked.caller.get('/group/list')).body
    return (groups as Seen[]).some(({ JID }) => JID === before.jid)
  })
  expect(await listed()).toBe(true)
})
