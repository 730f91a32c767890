// Polls through the whole gateway: what phones show of them, and what becomes of votes.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForEvent, waitForMessage } = await borrowScene()

const toPersonJid = (number: string) => `${number}@s.msgnet.net`
const postRequest = (path: string, body: object) => device.caller.post(path, body)
const findStored = async (id: string) => (await postRequest('/message/find', { id })).body.messages[0]
const castVote = async (id: string, by: string, ...choices: string[]) =>
  (await world.sim('POST', `/messages/${id}/vote`, { by, choices })).id as string

const choices = ['Rome', 'Paris', 'Oslo']

test('a poll is shown as sent, and each vote is reported and replaces the previous one', async () => {
  const anna = await createPhone(world, 'Anna')
  const poll = { type: 'poll', text: 'Where to?', choices, selectableCount: 2, track_id: 'trip-7' }
  const { status, body } = await postRequest('/send/menu', { number: anna, ...poll })
  expect(status).toBe(200)
  expect(body).toMatchObject({ type: 'poll', text: 'Where to?', content: { choices, selectableCount: 2 } })
  expect(body).toMatchObject({ track_id: 'trip-7', response: { status: 'success' } })
  const { messageid: id } = body
  expect(await waitForMessage(anna, (message) => message.id === id)).toMatchObject({
    type: 'poll',
    text: 'Where to?',
    choices,
    selectable: 2,
  })

  const isVote = (choices: string) => (envelope: Seen) =>
    envelope.type === 'PollVote' && envelope.event.vote.join() === choices
  const first = await castVote(id, anna, 'Rome', 'Oslo')
  const event = await waitForEvent('messages_update', isVote('Rome,Oslo'))
  expect(event).toMatchObject({ state: 'Voted', event: { MessageIDs: [id], sender_pn: toPersonJid(anna) } })
  expect(event.event).toMatchObject({ chatid: toPersonJid(anna), IsFromMe: false, IsGroup: false })
  expect(await findStored(id)).toMatchObject({ vote: 'Rome, Oslo' })
  expect(await findStored(first)).toMatchObject({ type: 'vote', vote: 'Rome, Oslo', text: '' })
  await castVote(id, anna)
  await waitForEvent('messages_update', isVote(''))
  expect((await findStored(id)).content.votes).toMatchObject([{ choices: [] }])
})

test('each member of a group has one vote', async () => {
  const [anna, ben] = [await createPhone(world), await createPhone(world)]
  const { JID } = (await postRequest('/group/create', { name: 'Trip', participants: [anna, ben] })).body
  const sent = await postRequest('/send/menu', {
    number: JID,
    type: 'poll',
    text: 'Who comes?',
    choices: ['I', 'not I'],
  })
  const { messageid: id } = sent.body
  for (const friend of [anna, ben]) await waitForMessage(friend, (message) => message.id === id)
  await castVote(id, anna, 'I')
  await castVote(id, ben, 'not I')
  const votes = await until(async () => {
    const { content } = await findStored(id)
    return content.votes?.length === 2 && (content.votes as Seen[])
  })
  expect(votes.map((one) => one.choices.join()).sort()).toEqual(['I', 'not I'])
})

test('votes in polls of others are reported once the poll was received', async () => {
  const [anna, ben] = [await createPhone(world), await createPhone(world)]
  const { JID } = (await postRequest('/group/create', { name: 'Theirs', participants: [anna, ben] })).body
  const poll = { from: anna, to: JID, poll: { name: 'When?', choices: ['today', 'never'] } }
  const { id } = await world.sim('POST', '/messages', poll)
  const { message } = await waitForEvent('messages', (envelope) => envelope.message.messageid === id)
  expect(message).toMatchObject({ type: 'poll', text: 'When?', content: { choices: ['today', 'never'] } })
  await waitForMessage(ben, (seen) => seen.id === id)
  await castVote(id as string, ben, 'never')
  const { event } = await waitForEvent(
    'messages_update',
    (envelope) => envelope.event.MessageIDs.includes(id) && envelope.type === 'PollVote',
  )
  expect(event).toMatchObject({ vote: ['never'], sender_pn: toPersonJid(ben), IsGroup: true })
})

const findVotes = (id: unknown) => (envelope: Seen) =>
  envelope.type === 'PollVote' && envelope.event.MessageIDs.includes(id)

test('a vote that cannot be decrypted is reported as unreadable, and the votes stay as they were', async () => {
  const anna = await createPhone(world)
  const poll = { poll: { name: 'When?', choices: ['today', 'never'] } }
  const { id } = await world.sim('POST', '/messages', { from: anna, to: device.number, ...poll })
  await castVote(id as string, anna, 'today')
  await waitForEvent('messages_update', findVotes(id))
  await world.sim('POST', `/messages/${id}/vote`, { by: anna, choices: ['never'], garbled: true })
  const { event } = await waitForEvent(
    'messages_update',
    (envelope) => findVotes(id)(envelope) && envelope.event.unreadable,
  )
  expect(event).toMatchObject({ Type: 'vote', sender_pn: toPersonJid(anna) })
  expect(event).not.toHaveProperty('vote')
  expect((await findStored(id as string)).content.votes).toMatchObject([{ choices: ['today'] }])
})

test('a vote in a poll that does not arrive is reported as unreadable, and as a vote when it does', async () => {
  const anna = await createPhone(world)
  const poll = { poll: { name: 'When?', choices: ['today', 'never'] }, held: true }
  const { id } = await world.sim('POST', '/messages', { from: anna, to: device.number, ...poll })
  await castVote(id as string, anna, 'today')
  const { event } = await waitForEvent('messages_update', findVotes(id))
  expect(event).toMatchObject({ unreadable: true, Type: 'vote', sender_pn: toPersonJid(anna) })
  await world.sim('POST', `/messages/${id}/deliver`)
  await waitForEvent(
    'messages_update',
    (envelope) => findVotes(id)(envelope) && envelope.event.vote?.join() === 'today',
  )
})

test.each(['button', 'list', 'carousel'])('a menu of kind %s is refused with its reason', async (type) => {
  const { status, body } = await postRequest('/send/menu', {
    number: '5511900000001',
    type,
    text: 'x',
    choices: ['[Card]', 'a', 'b'],
  })
  expect([status, body.error]).toEqual([400, 'invalid_body'])
  expect(body.message).toMatch(/^type: buttons, lists and carousels are off on this server/)
})
