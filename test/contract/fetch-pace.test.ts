// How fast the files of an instance are fetched by URL, on a clock that the test moves.

import { BytePace } from '@msgnet/edge/limits/byte-pace.ts'
import { FETCHED_BYTES } from '@msgnet/edge/media/fetch-pace.ts'
import { expect, test } from 'vitest'

const MIB = 1024 * 1024

/** A pace whose pauses pass at once, and are counted. */
function openPace() {
  let time = 0
  const pauses: number[] = []
  const wait = async (ms: number) => {
    pauses.push(ms)
    time += ms
  }
  return { pace: new BytePace(FETCHED_BYTES, { now: () => time, wait }), pauses }
}

test('the largest file comes without a pause, and what goes on without end is paused to the bytes of its minute', async () => {
  const { pace, pauses } = openPace()
  let held = 0
  const fetchBytes = async (mib: number) => {
    for (let n = 0; n < mib; n++) await pace.payForBytes('busy', MIB, () => (held += 1))
  }
  await fetchBytes(100)
  expect(pauses).toEqual([])
  await fetchBytes(28 + 1024)
  const paused = pauses.reduce((sum, ms) => sum + ms, 0)
  expect(paused).toBeGreaterThan(59_000)
  expect(paused).toBeLessThan(61_000)
  // So that a fetch which is only paused does not count as stalled.
  expect(held).toBe(pauses.length)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(1000)
})

test('a fetch of another instance is not paused meanwhile', async () => {
  const { pace, pauses } = openPace()
  for (let n = 0; n < 200; n++) await pace.payForBytes('busy', MIB, () => undefined)
  const before = pauses.length
  expect(before).toBeGreaterThan(0)
  for (let n = 0; n < 100; n++) await pace.payForBytes('neighbour', MIB, () => undefined)
  expect(pauses.length).toBe(before)
})

test('a file in pieces of a byte is paused as one of large pieces, because each piece takes time', async () => {
  const { pace, pauses } = openPace()
  for (let n = 0; n < 40_000; n++) await pace.payForBytes('busy', 1, () => undefined)
  expect(pauses.length).toBeGreaterThan(0)
})
