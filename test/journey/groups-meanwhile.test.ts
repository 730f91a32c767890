// Groups that change while something else is under way: members that are added just before a message, groups made during a login.

import { expect, test } from 'vitest'
import { createDevice, createPhone, createQuietPhone, linkDevice } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForMessage, readInbox, causeFault, waitForEvent } = await borrowScene()

const postRequest = (path: string, body: object) => device.caller.post(path, body)
const addPerson = (groupjid: string, person: string) =>
  postRequest('/group/updateParticipants', { groupjid, action: 'add', participants: [person] })
const createGroup = async (name: string) =>
  (await postRequest('/group/create', { name, participants: [await createQuietPhone(world)] })).body
    .JID as string
const countWritten = async (): Promise<number> => {
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  return (entries as Seen[]).filter(({ what, to }) => what === 'message' && to?.endsWith('@g.us')).length
}

test('a member who was just added can read the next message', async () => {
  const groupjid = await createGroup('Growing')
  for (const turn of ['first', 'second', 'third']) {
    const person = await createPhone(world)
    expect((await addPerson(groupjid, person)).body.groupUpdated[0].Error).toBe(0)
    const { status, body } = await postRequest('/send/text', { number: groupjid, text: turn })
    expect([status, body.error]).toEqual([200, ''])
    await waitForMessage(person, ({ text }) => text === turn)
  }
})

test('a message to a stale group is sent once more, and reported once', async () => {
  const [groupjid, person] = [await createGroup('Stale'), await createQuietPhone(world)]
  await addPerson(groupjid, person)
  await causeFault('ack_error', { code: 421, count: 1, group: groupjid })
  const before = await countWritten()
  const { status, body } = await postRequest('/send/text', { number: groupjid, text: 'to all' })
  expect([status, body.status, body.error, body.provider_code]).toEqual([200, 'Sent', '', undefined])
  expect(await countWritten()).toBe(before + 2)
  await waitForMessage(person, ({ id }) => id === body.messageid)
  expect((await readInbox(person)).filter(({ text }) => text === 'to all')).toHaveLength(1)
  const { message } = await waitForEvent(
    'messages',
    (envelope) => envelope.message.messageid === body.messageid,
  )
  expect(message.status).toBe('Sent')
})

test('a message refused twice is refused, and a malformed message is not sent again', async () => {
  const [groupjid, person] = [await createGroup('Twice'), await createQuietPhone(world)]
  await addPerson(groupjid, person)
  await causeFault('ack_error', { code: 421, count: 2, group: groupjid })
  const { status, body } = await postRequest('/send/text', {
    number: groupjid,
    text: 'in vain',
    track_id: 'twice',
  })
  expect(body).toMatchObject({ error: 'operation_refused', provider_code: 421, error_key: 'stale_group' })
  expect(status).toBe(422)
  const { messages } = (await postRequest('/message/find', { track_id: 'twice' })).body
  expect(messages).toMatchObject([{ status: 'Failed', error: '421' }])
  expect(await readInbox(person)).toEqual([])
  expect((await postRequest('/send/text', { number: groupjid, text: 'again' })).status).toBe(200)
  await causeFault('ack_error', { code: 479, count: 1, group: groupjid })
  const malformed = await postRequest('/send/text', { number: groupjid, text: 'malformed' })
  expect(malformed).toMatchObject({ status: 422, body: { error_key: 'malformed_message' } })
})

test('a group that changes its addressing is sent to in its new addressing', async () => {
  const [groupjid, person] = [await createGroup('Moving'), await createPhone(world)]
  await addPerson(groupjid, person)
  const readGroup = async () => (await postRequest('/group/info', { groupjid })).body
  for (const addressing of ['pn', 'lid']) {
    await world.sim('POST', `/groups/${groupjid}/addressing`, { addressing })
    await until(async () => (await readGroup()).AddressingMode === addressing)
    expect((await postRequest('/send/text', { number: groupjid, text: addressing })).status).toBe(200)
    await until(async () => (await readInbox(person)).some(({ text }) => text === addressing))
  }
})

test('a group created while the list is being read is in the list', async () => {
  const owner = await createPhone(world)
  const fresh = await createDevice(world)
  // A device that is not linked yet has no number, so the fault applies to every query of groups.
  await world.sim('POST', '/faults', { kind: 'slow', xmlns: 'w:g2', tag: 'participating', ms: 3000 })
  const linked = await linkDevice(world, fresh)
  const countRequests = async () => {
    const { entries } = await world.sim('GET', `/log?number=${linked.number}`)
    return (entries as Seen[]).some(({ child }) => child === 'participating')
  }
  await until(countRequests)
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Meanwhile',
    owner,
    participants: [linked.number],
  })
  const isListed = async () => {
    const { groups } = (await linked.caller.get('/group/list')).body
    return ((groups ?? []) as Seen[]).some(({ JID }) => JID === jid)
  }
  await until(isListed)
  const before = await world.sim('POST', '/groups', {
    subject: 'Asked for',
    owner,
    participants: [linked.number],
  })
  await world.sim('DELETE', '/faults')
  // By now the answer that did not have it has come, and more has come after it.
  await until(async () => {
    const { groups } = (await linked.caller.get('/group/list')).body
    return (groups as Seen[]).some(({ JID }) => JID === before.jid)
  })
  expect(await isListed()).toBe(true)
})
