// Searches of one instance at a time: a few wait, the others are refused with a time to wait, and sends go on.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'

const { world, device, waitForEvent } = await borrowScene()
const friend = await createPhone(world, 'Zoë')
const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'hello' })
await waitForEvent('messages', ({ message }) => message.messageid === id)

/** More at a time than wait for an instance. */
const MANY = 80
/** Fewer than wait for an instance. */
const LISTS = 240

test('searches beyond those that wait are 429 with Retry-After, and a send among them is sent', async () => {
  const search = () => device.caller.post('/chat/find', { search: 'zoe' })
  const [sent, ...found] = await Promise.all([
    device.caller.post('/send/text', { number: friend, text: 'meanwhile' }),
    ...Array.from({ length: MANY }, search),
  ])
  expect(sent?.status).toBe(200)
  const done = found.filter(({ status }) => status === 200)
  expect(done.length).toBeGreaterThan(0)
  for (const { body } of done) expect(body.chats).toHaveLength(1)
  const refused = found.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, body, headers } of refused) {
    expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '1'])
    expect(body.message).toBe('Too many searches and lists are waiting.')
  }
  expect((await search()).status).toBe(200)
})

/** As large as a page of messages becomes. */
const PAGE = { from: friend, to: device.number, text: 'a word '.repeat(500), count: 100 }

test('a send among hundreds of lists of messages does not wait for them', async () => {
  const { ids } = (await world.sim('POST', '/messages', PAGE)) as { ids: string[] }
  await waitForEvent('messages', ({ message }) => message.messageid === ids.at(-1))
  let listed = 0
  const list = async () => {
    const { status } = await device.caller.post('/message/find', { limit: 100 })
    listed += 1
    return status
  }
  const lists = Array.from({ length: LISTS }, list)
  // The first ones are answered, so the others are at the host or before it.
  await Promise.race(lists)
  const sent = await device.caller.post('/send/text', { number: friend, text: 'meanwhile' })
  expect([sent.status, listed < LISTS / 2]).toEqual([200, true])
  expect(new Set(await Promise.all(lists))).toEqual(new Set([200]))
})
