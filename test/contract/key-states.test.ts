// The states of an Idempotency-Key (edge/idempotency/README.md), the same on both paths: the quick claim and step by step.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, createPhone, createQuietPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { impatient } from '../world.ts'

let world: BorrowedWorld

beforeAll(async () => {
  world = await borrowWorld(impatient)
})
afterAll(() => world.close())
afterEach(() => world.sim('DELETE', '/faults'))

// A request with a query is never claimed quickly, and its query is no part of the fingerprint.
const paths = [
  ['quick', '/send/text'],
  ['step by step', '/send/text?'],
] as const

describe.each(paths)('claimed %s', (_, path) => {
  let device: LinkedDevice
  let friend: string
  let keys = 0
  let key: string

  beforeAll(async () => {
    device = await linkDevice(world, await createDevice(world))
    friend = await createPhone(world)
    // From here on the edge knows the caller.
    expect((await send('known', 'known')).status).toBe(200)
  })
  beforeEach(() => {
    key = `key-${keys++}`
  })

  const post = (body: object, name = key) => device.caller.post(path, body, { 'idempotency-key': name })
  const send = (text: string, name = key, number = friend) => post({ number, text }, name)
  /** Does not wait for an outcome longer than a second. */
  const sendBriefly = (text: string, number: string) =>
    device.caller.post(path, { number, text }, { 'idempotency-key': key, prefer: 'wait=1' })
  const rows = () =>
    world.queryDatabase(
      `select state, status from idempotency_keys where scope = '${device.id}' and key = '${key}'`,
    )
  const inbox = async (number: string, text: string) =>
    ((await world.sim('GET', `/phones/${number}/inbox`)).messages as { id: string; text: string }[]).filter(
      (message) => message.text === text,
    )

  test('a key that is answered repeats its response byte by byte', async () => {
    const first = await send('once')
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null])
    const again = await send('once')
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
    expect(await inbox(friend, 'once')).toHaveLength(1)
    expect(await rows()).toEqual([{ state: 'answered', status: 200 }])
  })

  test('a key that is answered rejects another body', async () => {
    expect((await send('first')).status).toBe(200)
    const other = await send('second')
    expect([other.status, other.body.error]).toEqual([422, 'idempotency_mismatch'])
  })

  test('a key that is dispatched rejects another body, and the same one until it is answered', async () => {
    await world.sim('POST', '/faults', { kind: 'slow', number: device.number, ms: 800 })
    const quiet = await createQuietPhone(world)
    const first = send('slow', key, quiet)
    await until(async () => (await rows()).length > 0)
    expect((await send('slow', key, quiet)).body.error).toBe('idempotency_in_progress')
    expect((await send('other', key, quiet)).body.error).toBe('idempotency_mismatch')
    expect((await first).status).toBe(200)
  })

  test('of many requests at once one is sent, and the others get its response or 409', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => send('crowd')))
    const unexpected = responses.filter(
      ({ status, body }) => status !== 200 && body.error !== 'idempotency_in_progress',
    )
    expect(unexpected).toEqual([])
    expect(await inbox(friend, 'crowd')).toHaveLength(1)
  })

  test('of different requests at once one is sent, and the others are a mismatch', async () => {
    const texts = Array.from({ length: 6 }, (_, n) => `different ${key} ${n}`)
    const responses = await Promise.all(texts.map((text) => send(text)))
    const sent = responses.filter(({ status }) => status === 200)
    const rejected = responses.filter(({ body }) => body.error === 'idempotency_mismatch')
    expect([sent.length, rejected.length]).toEqual([1, 5])
  })

  test('an invalid body leaves the key free', async () => {
    for (const body of [{ number: friend }, { number: friend, text: 'all', mentions: ['all'] }])
      expect((await post(body)).body.error).toBe('invalid_body')
    expect(await rows()).toEqual([])
    expect((await send('valid')).status).toBe(200)
  })

  test('an unknown outcome is repeated as 504, and is answered after a late outcome without a second send', async () => {
    const quiet = await createQuietPhone(world)
    await world.sim('POST', '/faults', { kind: 'lost_ack', number: device.number })
    const first = await sendBriefly('unknown', quiet)
    expect([first.status, first.body.error]).toEqual([504, 'outcome_unknown'])
    expect(await rows()).toEqual([{ state: 'answered', status: 504 }])
    expect((await sendBriefly('unknown', quiet)).text).toBe(first.text)
    await world.sim('DELETE', '/faults')
    const [message] = await until(async () => {
      const found = await inbox(quiet, 'unknown')
      return found.length > 0 && found
    })
    await world.sim('POST', `/messages/${message?.id}/receipt`, { by: quiet, type: 'delivered' })
    const late = await until(async () => {
      const again = await sendBriefly('unknown', quiet)
      return again.status === 200 && again
    })
    expect(late.headers.get('idempotency-replayed')).toBe('true')
    expect(await inbox(quiet, 'unknown')).toHaveLength(1)
    expect(await rows()).toEqual([{ state: 'answered', status: 200 }])
  })

  test('an expired key is free', async () => {
    expect((await send('expired')).status).toBe(200)
    await world.queryDatabase(
      `update idempotency_keys set expires_at = 1 where scope = '${device.id}' and key = '${key}'`,
    )
    const again = await send('expired')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
    expect(await inbox(friend, 'expired')).toHaveLength(2)
  })

  test('a disconnected session leaves the key free', async () => {
    await device.caller.post('/instance/disconnect')
    await until(async () => (await send('closed')).body.error === 'not_connected')
    expect(await rows()).toEqual([])
    device = await linkDevice(world, device)
    expect((await send('open again')).status).toBe(200)
  })

  test('the previous token is valid for its keys until its overlap ends', async () => {
    const first = await send('both tokens')
    const renew = (overlap: number) => world.admin.post(`/v1/instances/${device.id}/token`, { overlap })
    expect((await renew(3600)).status).toBe(200)
    expect((await send('both tokens')).text).toBe(first.text)
    expect((await send('previous token', `${key}-new`)).status).toBe(200)
    expect((await renew(0)).status).toBe(200)
    expect((await send('ended token', `${key}-ended`)).status).toBe(401)
  })
})
