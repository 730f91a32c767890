// What is handed to a courier goes out as it was handed only while it is certainly next, and certainly true.

import { describe, expect, test } from 'vitest'
import { Arrivals } from '../../edge/delivery/arrivals.ts'

const NOW = 1_000_000

const handed = (seqs: number[], behind = 0, at = NOW) => ({
  events: seqs.map((seq) => ({ seq })),
  behind,
  at,
})

const seqsOf = (taken: ReturnType<typeof handed> | undefined) => taken?.events.map(({ seq }) => seq)

describe('goes out without being read', () => {
  test('what nothing waits before', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(handed([7, 9]), NOW)
    expect(seqsOf(arrivals.take(NOW))).toEqual([7, 9])
    expect(arrivals.take(NOW)).toBeUndefined()
    expect(arrivals.mustRead).toBe(false)
  })

  test('what follows the event that is under way, or was tried just before', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(handed([7]), NOW)
    arrivals.take(NOW)
    arrivals.add(handed([8], 7), NOW)
    arrivals.add(handed([9], 8), NOW)
    expect(seqsOf(arrivals.take(NOW))).toEqual([8])
    expect(seqsOf(arrivals.take(NOW))).toEqual([9])
  })

  test('what follows all that was read', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.reads()
    arrivals.taken([{ seq: 3 }, { seq: 4 }])
    arrivals.add(handed([5], 4), NOW)
    expect(seqsOf(arrivals.take(NOW))).toEqual([5])
  })
})

describe('is read', () => {
  const mustBeRead = (arrivals: Arrivals<ReturnType<typeof handed>>) => {
    expect(arrivals.take(NOW)).toBeUndefined()
    expect(arrivals.mustRead).toBe(true)
  }

  test('what something waits before that the courier has not taken up', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(handed([7]), NOW)
    arrivals.take(NOW)
    arrivals.add(handed([12], 10), NOW)
    mustBeRead(arrivals)
  })

  test('what comes behind an event that waits for its next attempt', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(handed([7]), NOW)
    arrivals.take(NOW)
    arrivals.readNext()
    arrivals.reads()
    arrivals.add(handed([8], 7), NOW)
    mustBeRead(arrivals)
  })

  test('what comes behind older events that were made due again', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(handed([50]), NOW)
    arrivals.take(NOW)
    arrivals.changed(NOW)
    arrivals.reads()
    arrivals.taken([{ seq: 1 }, { seq: 2 }])
    arrivals.add(handed([51], 49, NOW + 1), NOW + 1)
    mustBeRead(arrivals)
  })

  test('what was kept before the subscription changed, or so long ago that it may have', () => {
    const changed = new Arrivals<ReturnType<typeof handed>>()
    changed.changed(NOW)
    changed.reads()
    changed.add(handed([7], 0, NOW), NOW)
    mustBeRead(changed)
    const slow = new Arrivals<ReturnType<typeof handed>>()
    slow.add(handed([7], 0, NOW - 251), NOW)
    mustBeRead(slow)
  })

  test('what became old while something else was under way', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(handed([7], 0, NOW - 251), NOW - 200)
    mustBeRead(arrivals)
  })

  test('what grows beyond what is kept in memory', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    for (let seq = 1; seq <= 65; seq++) arrivals.add(handed([seq], seq - 1), NOW)
    mustBeRead(arrivals)
  })

  test('whatever is handed without saying what it is', () => {
    const arrivals = new Arrivals<ReturnType<typeof handed>>()
    arrivals.add(undefined, NOW)
    mustBeRead(arrivals)
  })
})

test('what a read has brought already is not taken up again when it is handed late', () => {
  const arrivals = new Arrivals<ReturnType<typeof handed>>()
  arrivals.add(undefined, NOW)
  arrivals.reads()
  // Handed while the read was under way, and found by it.
  arrivals.add(handed([7, 8]), NOW)
  arrivals.taken([{ seq: 7 }, { seq: 8 }])
  expect(arrivals.take(NOW)).toBeUndefined()
  arrivals.reads()
  arrivals.add(handed([8]), NOW)
  expect(arrivals.take(NOW)).toBeUndefined()
})
