// A caller who does not want to wait for long: `Prefer: wait=N`, and what becomes of what it has asked for.

import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { link, makeDevice, makePhone, makeQuietPhone } from '../device.ts'
import { setScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, inbox, shown, fault, endFaults } = await setScene()

const applied = 'preference-applied'
const again = (path: string, body: object, key: object) =>
  until(async () => {
    const answer = await device.caller.post(path, body, { ...key })
    return answer.status === 200 && answer
  })

test('a send that takes longer than its caller waits is 504, goes on, and its key tells how it ended', async () => {
  const friend = await makeQuietPhone(world)
  await fault('slow', { tag: 'message', ms: 2500, count: 1 })
  const body = { number: friend, text: 'no hurry' }
  const key = { 'idempotency-key': 'patience' }
  const early = await device.caller.post('/send/text', body, { ...key, prefer: 'respond-async, wait=1' })
  expect(early).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })
  expect(early.headers.get(applied)).toBe('wait=1')
  const answer = await again('/send/text', body, key)
  expect(answer.body.messageid).toBe(early.body.messageid)
  expect(answer.headers.get('idempotency-replayed')).toBe('true')
  expect(await inbox(friend)).toHaveLength(1)
})

test('a file whose sender did not wait for it arrives whole', async () => {
  const friend = await makeQuietPhone(world)
  const bytes = randomBytes(3_000_000)
  await fault('slow', { xmlns: 'w:m', ms: 2500, count: 1 })
  const body = { number: friend, type: 'document', file: bytes.toString('base64') }
  const key = { 'idempotency-key': 'file' }
  expect((await device.caller.post('/send/media', body, { ...key, prefer: 'wait=1' })).status).toBe(504)
  const { messageid } = (await again('/send/media', body, key)).body
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(await shown(friend, ({ id }) => id === messageid)).toMatchObject({ mediaSha256: sha256 })
})

test('a wait that is not needed costs nothing, and what is none is ignored', async () => {
  const number = await makePhone(world)
  const answerTo = async (prefer: string) => {
    const answer = await device.caller.post('/chat/check', { numbers: [number] }, { prefer })
    expect(answer.status).toBe(200)
    return answer.headers.get(applied)
  }
  expect(await answerTo('wait=20')).toBe('wait=20')
  expect(await answerTo('handling=lenient, WAIT = "45"; strict')).toBe('wait=45')
  for (const none of ['wait=0', 'wait=46', 'wait=-1', 'wait=1.5', 'wait', 'wait=soon', 'await=3', ','])
    expect(await answerTo(none)).toBeNull()
})

test('connect answers within the wait with what is known by then', async () => {
  const fresh = await makeDevice(world)
  const answer = await fresh.caller.post('/instance/connect', {}, { prefer: 'wait=2' })
  expect(answer).toMatchObject({ status: 200, body: { loggedIn: false } })
  expect(answer.headers.get(applied)).toBe('wait=2')
  await fresh.caller.post('/instance/disconnect')
})

test.each([
  ['does not wait for a network that says nothing', {}],
  ['waits still less when it is asked to', { prefer: 'wait=2' }],
])('disconnect %s: 200, unlinked false', { timeout: 20_000 }, async (_, headers) => {
  const other = await link(world, await makeDevice(world))
  await fault('silent', { number: other.number, xmlns: 'md' })
  const answer = await other.caller.post('/instance/disconnect', {}, headers)
  expect(answer).toMatchObject({ status: 200, body: { unlinked: false, jid: '' } })
  await endFaults()
})
