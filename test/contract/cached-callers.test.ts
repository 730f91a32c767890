// Callers whose token was good a moment ago: their keyed requests are judged in one step, and answered as those of other callers.

import { beforeAll, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'

const world = await borrowForFile()
let device: LinkedDevice
let friend: string
let keys = 0

beforeAll(async () => {
  device = await linkDevice(world, await createDevice(world))
  friend = await createPhone(world)
  expect((await sendText('known from here on')).status).toBe(200)
})

const postText = (body: object, key: string) =>
  device.caller.post('/send/text', body, { 'idempotency-key': key })
const sendText = (text: string, key = `key ${keys++}`.replace(' ', '-')) =>
  postText({ number: friend, text }, key)
const listRows = (key: string) =>
  world.queryDatabase(`select state from idempotency_keys where key = '${key}'`)

test('the first response of a key is repeated byte by byte, and another body is refused', async () => {
  const first = await sendText('once', 'repeated')
  expect(first.status).toBe(200)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  const again = await sendText('once', 'repeated')
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await sendText('twice', 'repeated')).body.error).toBe('idempotency_mismatch')
})

test('an invalid body gets the usual error and claims no key', async () => {
  const wrong: [object, string, RegExp][] = [
    [{ number: friend }, 'invalid_body', /^text /],
    [
      { number: friend, text: 'all', mentions: ['all'] },
      'invalid_body',
      /^mentions must .* number is a group/,
    ],
  ]
  for (const [body, error, words] of wrong) {
    expect((await postText(body, 'wrong')).body).toMatchObject({
      error,
      message: expect.stringMatching(words),
    })
    expect(await listRows('wrong')).toEqual([])
  }
  expect((await postText({ number: friend, text: 'right' }, 'wrong')).status).toBe(200)
})

test('a closed session is 409 not_connected and claims no key', async () => {
  await device.caller.post('/instance/disconnect')
  await until(async () => (await sendText('closed', 'closed')).body.error === 'not_connected')
  expect(await listRows('closed')).toEqual([])
  device = await linkDevice(world, device)
  expect((await sendText('open again', 'closed')).status).toBe(200)
})

test('a replaced token is 401 from the next request on', async () => {
  const { status } = await world.admin.post(`/v1/instances/${device.id}/token`)
  expect(status).toBe(200)
  for (const body of [{ number: friend, text: 'too late' }, { number: friend }]) {
    expect((await postText(body, 'too-late')).status).toBe(401)
    expect(await listRows('too-late')).toEqual([])
  }
})
