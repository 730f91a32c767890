// Each story of the laboratory, as the program of a caller sees it.
// @module-tag slow

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { startLabScene } from './lab-scene.ts'

const { callAs, lab, listEvents, listMessages, waitForEvent } = await startLabScene(
  'test/clients/laboratory-stories.test.ts',
)

test('an event that comes twice reaches the program under test twice, signed with the time of its own clock', async () => {
  const instance = await lab.createInstance()
  const ids: string[] = []
  const program = createServer(async (request, response) => {
    const body = await text(request)
    new Webhook(lab.receiver.secret).verify(body, request.headers as Record<string, string>)
    ids.push(String(request.headers['webhook-id']))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await lab.forwardTo(null)
    program.closeAllConnections()
    program.close()
  })
  await lab.forwardTo(`http://127.0.0.1:${(program.address() as AddressInfo).port}/hook`)
  const { messages } = await lab.play('an event that comes twice', instance)
  const own = (await listEvents(instance)).filter(
    ({ envelope }) => envelope.message?.messageid === messages[0],
  )
  expect(own.map(({ isRepeated, program, answered }) => [isRepeated, program, answered])).toEqual([
    [false, 204, 500],
    [true, 204, 204],
  ])
  expect(ids.filter((id) => id === own[0]?.id)).toHaveLength(2)
})

test('a receiver that is away for a day gets each event, in order, when it is back', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a receiver that is away for a day', instance)
  const taken = (await listEvents(instance))
    .filter(({ answered }) => answered < 300)
    .map(({ envelope }) => envelope.message?.messageid)
    .filter((id) => messages.includes(id))
  expect(new Set(taken)).toEqual(new Set(messages))
  expect(taken).toHaveLength(3)
})

test('a receiver that is slow is sent the event again, and then is in time', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a receiver that is slow', instance)
  const deliveries = (await listEvents(instance)).filter(
    ({ envelope }) => envelope.message?.messageid === messages[0],
  )
  expect(deliveries.map(({ answered, isRepeated }) => [answered, isRepeated])).toEqual([
    [0, false],
    [204, true],
  ])
})

test('a message that disappears says when, and what is sent to its chat carries the timer', async () => {
  const instance = await lab.createInstance()
  const { messages, from = '' } = await lab.play('a message that disappears', instance)
  const message = (await listMessages(instance)).find(({ messageid }) => messageid === messages[0])
  expect(message.content.disappearsAt - message.messageTimestamp).toBe(86_400_000)
  await callAs(instance).post('/send/text', { number: from, text: 'noted' })
  const [answer] = await until(async () => {
    const inbox = await lab.readInbox(from)
    return inbox.length > 0 && inbox
  })
  expect(answer).toMatchObject({ text: 'noted', disappears: 86_400 })
})

test('a file that cannot be uploaded is 502, as often as its key is repeated, and a new key sends it', async () => {
  const instance = await lab.createInstance()
  const { to = '' } = await lab.play('a file that cannot be uploaded', instance)
  const document = { number: to, type: 'document', docName: 'prices.txt', file: 'cHJpY2Vz' }
  const send = (key: string) => callAs(instance).post('/send/media', document, { 'idempotency-key': key })
  for (const key of ['one', 'one'])
    expect(await send(key)).toMatchObject({ status: 502, body: { error: 'media_unavailable' } })
  expect(await lab.readInbox(to)).toEqual([])
  expect((await send('other')).status).toBe(200)
})

test('a message that is due while the account is offline leaves once, when it is back', async () => {
  const instance = await lab.createInstance()
  const { to = '' } = await lab.play('a message that is due while the account is offline', instance)
  const sendAt = new Date((await lab.now()) + 3_600_000).toISOString()
  const { body } = await callAs(instance).post('/send/text', { number: to, text: 'good morning', sendAt })
  const { envelope } = await waitForEvent(
    instance,
    ({ type, event }) => type === 'SendReceipt' && event.MessageIDs.includes(body.messageid),
  )
  expect(envelope.state).toBe('Sent')
  expect((await lab.readInbox(to)).map(({ text }: { text: string }) => text)).toEqual(['good morning'])
  expect(await lab.now()).toBeGreaterThan(Date.parse(sendAt) + 3_000_000)
})

test('a message late after a relink says so, and has the time at which it was written', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a message late after a relink', instance)
  const { envelope } = await waitForEvent(instance, ({ message }) => message?.messageid === messages[0])
  expect(envelope.message).toMatchObject({ late: true })
  expect(envelope.message.messageTimestamp).toBeLessThan((await lab.now()) - 1_800_000)
})

test('a 504 becomes true by an event, and its key then tells the same', async () => {
  const instance = await lab.createInstance()
  const { to = '' } = await lab.play('a 504 that becomes true', instance)
  const send = () =>
    callAs(instance).post('/send/text', { number: to, text: 'is it there?' }, { 'idempotency-key': 'story' })
  const unknown = await send()
  expect(unknown).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })
  await waitForEvent(
    instance,
    ({ EventType, event }) =>
      EventType === 'messages_update' && event.MessageIDs.includes(unknown.body.messageid),
  )
  const again = await until(async () => {
    const repeated = await send()
    return repeated.status === 200 && repeated
  })
  expect(again.body.messageid).toBe(unknown.body.messageid)
})

test('a refused send is 422 with the number of the network, and the next one is sent', async () => {
  const instance = await lab.createInstance()
  const { to } = await lab.play('a refused send', instance)
  const send = () => callAs(instance).post('/send/text', { number: to, text: 'may I?' })
  expect(await send()).toMatchObject({
    status: 422,
    body: { error: 'operation_refused', provider_code: 479 },
  })
  expect((await send()).status).toBe(200)
})

test.each([
  ['a replaced session', 'replaced'],
  ['a device that its owner logs out', 'logged_out'],
])('%s is told by its event, and sends are 409', async (story, reason) => {
  const instance = await lab.createInstance()
  await lab.play(story, instance)
  const { envelope } = await waitForEvent(
    instance,
    (one) => one.EventType === 'connection' && one.instance.lastDisconnectReason === reason,
  )
  expect(envelope.instance.status).toBe('disconnected')
  const { number } = await lab.phone()
  const sent = await callAs(instance).post('/send/text', { number, text: 'anyone?' })
  expect(sent).toMatchObject({ status: 409, body: { error: 'not_connected' } })
})

test('a message that its writer deletes is told in two events', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a message that its writer deletes', instance)
  const types = (await listEvents(instance)).map(({ envelope }) => envelope)
  expect(types.filter(({ message }) => message?.messageid === messages[0])).toHaveLength(1)
  expect(types.find(({ state }) => state === 'Deleted').event.MessageIDs).toEqual(messages)
})

test('an account that the network refuses is told as banned, and is not connected again', async () => {
  const instance = await lab.createInstance()
  await lab.play('an account that the network refuses', instance)
  const last = (await listEvents(instance)).at(-1)?.envelope
  expect(last.instance).toMatchObject({ status: 'disconnected', lastDisconnectReason: 'banned' })
})

test('messages that were written during an interruption come after it, each once', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('an interruption of the network', instance)
  const told = await listMessages(instance)
  expect(told.map(({ messageid }) => messageid)).toEqual(messages)
  expect(
    (await listEvents(instance)).map(({ envelope }) => envelope.instance?.lastDisconnectReason),
  ).toContain('unreachable')
})

test('a receiver that answered 410 gets what waited, and then by a replay what died', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a receiver that answers 410', instance)
  const deliveries = (await listEvents(instance)).filter(({ envelope }) => envelope.message)
  const facts = deliveries.map(({ envelope, answered, isLate }) => [
    messages.indexOf(envelope.message.messageid),
    answered,
    isLate,
  ])
  expect(facts).toEqual([
    [0, 410, false],
    [1, 204, false],
    [0, 204, true],
  ])
})

test('fifty messages at once come in the order in which they were written', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('fifty messages at once', instance)
  expect(messages).toHaveLength(50)
  expect((await listMessages(instance)).map(({ messageid }) => messageid)).toEqual(messages)
  expect((await lab.received(instance)).judgement).toMatchObject({ late: 0, repeated: 0 })
})

test('what a program had not answered when the edge was killed comes again, and then the rest in order', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a gateway that is killed', instance)
  const deliveries = (await listEvents(instance)).filter(({ envelope }) => envelope.message)
  const facts = deliveries.map(({ envelope, answered, isRepeated, isLate }) => [
    messages.indexOf(envelope.message.messageid),
    answered,
    isRepeated,
    isLate,
  ])
  expect(facts).toEqual([
    [0, 0, false, false],
    [0, 204, true, false],
    ...[1, 2, 3, 4].map((index) => [index, 204, false, false]),
  ])
})

test.each([
  ['a send that the network limits', 429, 'rate_limited', 200],
  ['a number that is not on the network', 422, 'not_on_network', 422],
  ['a group that the account is removed from', 403, 'not_in_group', 403],
])('%s is %i %s, and the same send afterwards is %i', async (story, status, error, afterwards) => {
  const instance = await lab.createInstance()
  const { to } = await lab.play(story, instance)
  const send = () =>
    callAs(instance).post('/send/text', { number: to, text: 'hello' }, { 'idempotency-key': 'story' })
  expect(await send()).toMatchObject({ status, body: { error } })
  expect((await send()).status).toBe(afterwards)
})

test('an edit before its message is told as unreadable, and again with its words', async () => {
  const instance = await lab.createInstance()
  await lab.play('an edit before its message', instance)
  const told = (await listEvents(instance)).map(({ envelope }) => envelope)
  const texts = told
    .filter(({ EventType }) => EventType.startsWith('messages'))
    .map(({ EventType, message, event }) => [EventType, message?.text ?? event.text, event?.unreadable])
  expect(texts).toEqual([
    ['messages_edit', '', true],
    ['messages', 'at five', undefined],
    ['messages_edit', 'at six', undefined],
  ])
})

test('of a message that is deleted before it comes only the deletion is told', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a deletion before its message', instance)
  expect((await listMessages(instance)).map(({ messageid }) => messageid)).toEqual(messages)
  const states = (await listEvents(instance)).map(({ envelope }) => envelope.state)
  expect(states.filter(Boolean)).toEqual(['Deleted'])
})

test('a message that is read at the second try is told once', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a message that is read at the second try', instance)
  const told = (await listMessages(instance)).filter(({ messageid }) => messages.includes(messageid))
  expect(told.map(({ text }) => text)).toEqual(['second'])
})

test('a reaction, and that it is taken back, are two messages', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a reaction that is taken back', instance)
  const told = (await listMessages(instance)).filter(({ reaction }) => reaction)
  expect(told.map(({ reaction, text }) => [reaction, text])).toEqual([
    [messages[0], '👍'],
    [messages[0], ''],
  ])
})

test('each vote is told, and the record of the poll has the newest', async () => {
  const instance = await lab.createInstance()
  const { messages } = await lab.play('a vote that changes', instance)
  const votes = (await listEvents(instance)).filter(({ envelope }) => envelope.state === 'Voted')
  expect(votes.map(({ envelope }) => envelope.event.vote)).toEqual([['Rome'], ['Paris']])
  const { body } = await callAs(instance).post('/message/find', { id: messages[0] })
  expect(body.messages[0].content.votes).toMatchObject([{ choices: ['Paris'] }])
})

test('there are twenty-five stories, and each has a row in the table of the page, with the same words', async () => {
  const { readFileSync } = await import('node:fs')
  const page = readFileSync(join(projectRoot, 'docs', 'use', 'testing.md'), 'utf8')
  const rows = (await lab.listStories()).map(
    ({ name, happens, should }) => `| ${name} | ${happens} | ${should} |`,
  )
  expect(rows).toHaveLength(25)
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})
