// The laboratory for callers' tests: its clock, its receiver, and each of its stories as the program of a caller sees it.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Lab, type LabInstance, startLab } from '../../clients/testing/start-lab.ts'
import { createCaller } from '../caller.ts'
import { recordStart } from '../started-gateways.ts'
import { until } from '../until.ts'

// biome-ignore lint/suspicious/noExplicitAny: an envelope is looked into by name.
type Envelope = any

let lab: Lab
beforeAll(async () => {
  recordStart('test/clients/laboratory.test.ts')
  const command = ['sh', join(projectRoot, 'cli', 'node'), join(projectRoot, 'cli', 'lab.ts')]
  lab = await startLab({ command, cwd: projectRoot })
}, 240_000)
afterAll(() => lab?.close())

const callAs = ({ token }: LabInstance) => createCaller(lab.baseUrl, { token })

const listEvents = async ({ id }: LabInstance) =>
  (await lab.received()).received.filter(({ envelope }) => envelope.instanceId === id)

const listMessages = async (instance: LabInstance): Promise<Envelope[]> =>
  (await listEvents(instance)).flatMap(({ envelope }) => envelope.message ?? [])

const waitForEvent = (instance: LabInstance, fits: (envelope: Envelope) => boolean) =>
  until(async () => (await listEvents(instance)).find(({ envelope }) => fits(envelope)))

test('a phone writes, the receiver judges what it got, and the phone sees what was sent', async () => {
  const instance = await lab.createInstance()
  const friend = await lab.phone('Ana')
  const id = await friend.write(instance.number, 'hello')
  const { signature, isRepeated, isLate } = await waitForEvent(
    instance,
    ({ message }) => message?.messageid === id,
  )
  expect({ signature, isRepeated, isLate }).toEqual({ signature: 'right', isRepeated: false, isLate: false })
  const sent = await callAs(instance).post('/send/text', { number: friend.number, text: 'hello, Ana' })
  expect(sent.status).toBe(200)
  await until(async () =>
    (await friend.readInbox()).some((one: { text: string }) => one.text === 'hello, Ana'),
  )
})

test('an absence towards one instance is none towards another, and each has its own judgement', async () => {
  const [away, present] = [await lab.createInstance(), await lab.createInstance()]
  await lab.away(503, away)
  const friend = await lab.phone()
  for (const { number } of [away, present]) await friend.write(number, 'are you there?')
  const isIt = ({ message }: Envelope) => message?.text === 'are you there?'
  expect([(await waitForEvent(away, isIt)).answered, (await waitForEvent(present, isIt)).answered]).toEqual([
    503, 204,
  ])
  const { judgement, received } = await lab.received(present)
  expect(judgement.deliveries).toBe(received.length)
  expect(received.map(({ envelope }) => envelope.instanceId)).toEqual(received.map(() => present.id))
  await lab.away(0, away)
})

test('a month passes: every retry happens at its time, and then the event is dead', async () => {
  const instance = await lab.createInstance()
  await lab.away(503)
  onTestFinished(async () => {
    await lab.away(0)
  })
  const friend = await lab.phone()
  const id = await friend.write(instance.number, 'in vain')
  const isIt = ({ message }: Envelope) => message?.messageid === id
  await waitForEvent(instance, isIt)
  const before = await lab.now()
  await lab.passTime('25d')
  expect((await lab.now()) - before).toBeGreaterThanOrEqual(25 * 86_400_000)
  const attempts = (await listEvents(instance)).filter(({ envelope }) => isIt(envelope))
  expect(attempts).toHaveLength(12)
  expect(attempts.map(({ signature }) => signature)).toEqual(attempts.map(() => 'right'))
  const { body } = await callAs(instance).get('/webhook/errors')
  expect(body.errors.find(({ attempts: count }: Envelope) => count === 12)).toMatchObject({ status: 'dead' })
})

test('three moves of the clock at once are made one after another, and each adds its own', async () => {
  const before = await lab.now()
  const answers = await Promise.all(['1d', '2d', '3d'].map((time) => lab.passTime(time)))
  const days = answers.map(({ now }) => Math.floor((now - before) / 86_400_000))
  expect(days).toEqual([1, 3, 6])
})

test('the clock moves 100 years at most, and goes on after a longer move was refused', async () => {
  for (const time of ['36501d', '100000000d', `${'9'.repeat(400)}d`])
    await expect(lab.passTime(time)).rejects.toThrow('pass: must be 100 years (36500d) at most')
  // The clock of this laboratory has moved already.
  await expect(lab.passTime('36500d')).rejects.toThrow('pass: the clock moves 100 years (36500d) in all')
  await lab.passTime('1s')
})

test('the time passes also after an instance was deleted by the program under test', async () => {
  const instance = await lab.createInstance()
  expect((await callAs(instance).delete('/instance')).status).toBe(200)
  const before = await lab.now()
  await lab.passTime('1h')
  expect((await lab.now()) - before).toBeGreaterThanOrEqual(3_600_000)
})

test('a body of more than 1 MiB is 413, also if its length is not told before', async () => {
  const body = JSON.stringify({ pass: 'x'.repeat(1024 * 1024) })
  expect((await fetch(`${lab.url}/time`, { method: 'POST', body })).status).toBe(413)
  const chunked = { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' } as RequestInit
  const refused = await fetch(`${lab.url}/time`, chunked)
  expect([refused.status, await refused.json()]).toEqual([413, { error: 'body: must be 1 MiB at most' }])
})

test('a page in a browser is refused: by a name of its own for this machine, or by its origin', async () => {
  const { port } = new URL(lab.url)
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ port, method, path, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .once('error', reject)
        .end(method === 'POST' ? '{"pass":"1s"}' : undefined)
    })
  expect(await ask('GET', '/lab', { host: `evil.example:${port}` })).toBe(403)
  const simple = { 'content-type': 'text/plain', origin: 'http://evil.example' }
  expect(await ask('POST', '/lab/time', simple)).toBe(403)
  expect(await ask('POST', '/lab/time', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  for (const name of ['localhost', '127.0.0.1', '[::1]'])
    expect(await ask('GET', '/lab', { host: `${name}:${port}` })).toBe(200)
})

test('a message that is scheduled for next week leaves when the week has passed', async () => {
  const instance = await lab.createInstance()
  const friend = await lab.phone()
  const sendAt = new Date((await lab.now()) + 7 * 86_400_000).toISOString()
  const scheduled = await callAs(instance).post('/send/text', {
    number: friend.number,
    text: 'a week',
    sendAt,
  })
  expect(scheduled.body).toMatchObject({ status: 'Scheduled' })
  await lab.passTime('8d')
  await until(async () => (await friend.readInbox()).some((one: { text: string }) => one.text === 'a week'))
})

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

test('there are twenty stories, and each has a row in the table of the page, with the same words', async () => {
  const { readFileSync } = await import('node:fs')
  const page = readFileSync(join(projectRoot, 'docs', 'use', 'testing.md'), 'utf8')
  const rows = (await lab.listStories()).map(
    ({ name, happens, should }) => `| ${name} | ${happens} | ${should} |`,
  )
  expect(rows).toHaveLength(20)
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

test('what the laboratory does not know is refused by name', async () => {
  const instance = await lab.createInstance()
  await expect(lab.play('no such story', instance)).rejects.toThrow('there is no no such story')
  await expect(lab.passTime('a month')).rejects.toThrow('pass: must be a time such as')
  await expect(lab.play('a refused send', { ...instance, id: 'x' })).rejects.toThrow('x was not made by this')
})
