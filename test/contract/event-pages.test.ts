// Pages of events end at 256 KiB, and say so: whoever goes on gets each event once.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const COUNT = 60
const LENGTH = 20_000
const PAGE_BYTES = 256 * 1024

const { world, device } = await borrowScene()
const list = async (query: string) => {
  const response = await device.caller.get(`/v1/events?limit=200${query}`)
  expect(response.status).toBe(200)
  const { events, hasMore } = response.body as {
    events: { seq: number; messageid: string }[]
    hasMore: boolean
  }
  return { seqs: events.map(({ seq }) => seq), bytes: response.text.length, hasMore }
}

async function receiveLongMessages(): Promise<void> {
  const from = await createPhone(world)
  await world.sim('POST', '/messages', { from, to: device.number, text: 'x'.repeat(LENGTH), count: COUNT })
  await until(async () => {
    const { body } = await device.caller.get('/v1/events?type=messages&payload=false&limit=200')
    return body.events.length === COUNT
  })
}

/** Follows the pages as long as they say that there are others. */
async function listAll(findNext: (last: number | undefined) => string): Promise<number[]> {
  const all: number[] = []
  for (;;) {
    const { seqs, bytes, hasMore } = await list(findNext(all.at(-1)))
    expect(bytes).toBeLessThan(PAGE_BYTES * 1.1)
    all.push(...seqs)
    if (!hasMore) return all
  }
}

test('pages of large events end at 256 KiB, and both ways through them meet every event once', async () => {
  await receiveLongMessages()
  const newest = (await device.caller.get('/v1/events?limit=1&payload=false')).body.events[0].seq
  const seqs = Array.from({ length: newest }, (_, n) => n + 1)
  const first = await list('')
  expect(first.hasMore).toBe(true)
  expect(first.seqs.length).toBeLessThan(20)
  expect(await listAll((last) => `&afterSeq=${last ?? 0}`)).toEqual(seqs)
  expect(await listAll((last) => (last === undefined ? '' : `&beforeSeq=${last}`))).toEqual(seqs.toReversed())
})

test('a page that has all that matches says that there is no more', async () => {
  const { events, hasMore } = (await device.caller.get('/v1/events?limit=200&payload=false')).body
  expect([events.length >= COUNT, hasMore]).toEqual([true, false])
  const one = (await device.caller.get('/v1/events?limit=1&type=messages')).body
  expect([one.events.length, one.hasMore]).toEqual([1, true])
  expect((await list(`&beforeSeq=1`)).hasMore).toBe(false)
})

test('a stream refuses a parameter: it has none, and would send what the caller does not want', async () => {
  const { status, body } = await device.caller.get('/v1/events/stream?events=connection')
  expect([status, body.error]).toEqual([400, 'invalid_query'])
  expect(body.message).toBe('events must be left out: this route has no parameters.')
})
