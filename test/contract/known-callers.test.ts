// Callers whose token was good a moment ago: their keyed requests are judged in one step, and answered as those of anybody else.

import { beforeAll, expect, test } from 'vitest'
import { type LinkedDevice, link, makeDevice, makePhone } from '../device.ts'
import { sharedWorld } from '../shared-world.ts'
import { until } from '../until.ts'

const world = await sharedWorld()
let device: LinkedDevice
let friend: string
let keys = 0

beforeAll(async () => {
  device = await link(world, await makeDevice(world))
  friend = await makePhone(world)
  expect((await send('known from here on')).status).toBe(200)
})

const post = (body: object, key: string) => device.caller.post('/send/text', body, { 'idempotency-key': key })
const send = (text: string, key = `key ${keys++}`.replace(' ', '-')) => post({ number: friend, text }, key)
const rows = (key: string) => world.database(`select state from replays where key = '${key}'`)

test('the first answer of a key is repeated byte by byte, and another body is refused', async () => {
  const first = await send('once', 'repeated')
  expect(first.status).toBe(200)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  const again = await send('once', 'repeated')
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await send('twice', 'repeated')).body.error).toBe('idempotency_mismatch')
})

test('what the body gets wrong is said as ever, and takes no key', async () => {
  const wrong: [object, string][] = [
    [{ number: friend }, 'invalid_body'],
    [{ number: friend, text: 'all', mentions: ['all'] }, 'invalid_body'],
  ]
  for (const [body, error] of wrong) {
    expect((await post(body, 'wrong')).body.error).toBe(error)
    expect(await rows('wrong')).toEqual([])
  }
  expect((await post({ number: friend, text: 'right' }, 'wrong')).status).toBe(200)
})

test('a session that is closed is not connected, and takes no key', async () => {
  await device.caller.post('/instance/disconnect')
  await until(async () => (await send('closed', 'closed')).body.error === 'not_connected')
  expect(await rows('closed')).toEqual([])
  device = await link(world, device)
  expect((await send('open again', 'closed')).status).toBe(200)
})

test('a token that was replaced is nobody’s from the next request on, whatever the body says', async () => {
  const { status } = await world.admin.post(`/v1/instances/${device.id}/token`)
  expect(status).toBe(200)
  for (const body of [{ number: friend, text: 'too late' }, { number: friend }]) {
    expect((await post(body, 'too-late')).status).toBe(401)
    expect(await rows('too-late')).toEqual([])
  }
})
