// The laboratory for callers' tests: its clock, its receiver, and what it refuses.
// @module-tag slow

import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { type Envelope, startLabScene } from './lab-scene.ts'

const { callAs, lab, listEvents, waitForEvent } = await startLabScene('test/clients/laboratory.test.ts')

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

test('what the laboratory does not know is refused by name', async () => {
  const instance = await lab.createInstance()
  await expect(lab.play('no such story', instance)).rejects.toThrow('there is no no such story')
  await expect(lab.passTime('a month')).rejects.toThrow('pass: must be a time such as')
  await expect(lab.play('a refused send', { ...instance, id: 'x' })).rejects.toThrow('x was not made by this')
})
