// Events that a courier was notified of are sent without a read only while they are certainly next and up to date.

import { EventBuffer } from '@msgnet/edge/delivery/event-buffer.ts'
import { describe, expect, test } from 'vitest'

const NOW = 1_000_000

/** A batch of these events, for all that were stored from the first of them to the last. */
const createArrival = (seqs: number[], behind = 0, at = NOW) => ({
  events: seqs.map((seq) => ({ seq })),
  from: seqs[0] ?? 0,
  upTo: seqs.at(-1) ?? 0,
  behind,
  at,
})

const listSeqs = (taken: ReturnType<typeof createArrival> | undefined) => taken?.events.map(({ seq }) => seq)

describe('events go out without a read', () => {
  test('if no event waits before them', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.addBatch(createArrival([7, 9]), NOW)
    expect(listSeqs(arrivals.takeBatch(NOW))).toEqual([7, 9])
    expect(arrivals.takeBatch(NOW)).toBeUndefined()
    expect(arrivals.mustRead).toBe(false)
  })

  test('if they follow the event that is being sent, or was tried just before', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.addBatch(createArrival([7]), NOW)
    arrivals.takeBatch(NOW)
    arrivals.addBatch(createArrival([8], 7), NOW)
    arrivals.addBatch(createArrival([9], 8), NOW)
    expect(listSeqs(arrivals.takeBatch(NOW))).toEqual([8])
    expect(listSeqs(arrivals.takeBatch(NOW))).toEqual([9])
  })

  test('if they follow all that was read', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.clearBeforeRead()
    arrivals.markTried(4)
    arrivals.addBatch(createArrival([5], 4), NOW)
    expect(listSeqs(arrivals.takeBatch(NOW))).toEqual([5])
  })
})

test('events that the webhook does not want are passed over without a read', () => {
  const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
  arrivals.clearBeforeRead()
  arrivals.markTried(4)
  arrivals.addBatch({ events: [], from: 5, upTo: 7, behind: 4, at: NOW }, NOW)
  arrivals.addBatch(createArrival([8], 7), NOW)
  expect(listSeqs(arrivals.takeBatch(NOW))).toEqual([])
  expect(listSeqs(arrivals.takeBatch(NOW))).toEqual([8])
  expect(arrivals.passedUpTo).toBe(8)
})

describe('events are read from the database', () => {
  const createUnread = (arrivals: EventBuffer<ReturnType<typeof createArrival>>) => {
    expect(arrivals.takeBatch(NOW)).toBeUndefined()
    expect(arrivals.mustRead).toBe(true)
  }

  test('if an event waits before them that the courier does not have', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.addBatch(createArrival([7]), NOW)
    arrivals.takeBatch(NOW)
    arrivals.addBatch(createArrival([12], 10), NOW)
    createUnread(arrivals)
  })

  test('if they follow an event that waits for its next attempt', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.addBatch(createArrival([7]), NOW)
    arrivals.takeBatch(NOW)
    arrivals.requireRead()
    arrivals.clearBeforeRead()
    arrivals.addBatch(createArrival([8], 7), NOW)
    createUnread(arrivals)
  })

  test('if they follow older events that were made due again', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.addBatch(createArrival([50]), NOW)
    arrivals.takeBatch(NOW)
    arrivals.invalidate(NOW)
    arrivals.clearBeforeRead()
    arrivals.markTried(2)
    arrivals.addBatch(createArrival([51], 49, NOW + 1), NOW + 1)
    createUnread(arrivals)
  })

  test('if the subscription changed after they were buffered, or may have changed since', () => {
    const changed = new EventBuffer<ReturnType<typeof createArrival>>()
    changed.invalidate(NOW)
    changed.clearBeforeRead()
    changed.addBatch(createArrival([7], 0, NOW), NOW)
    createUnread(changed)
    const slow = new EventBuffer<ReturnType<typeof createArrival>>()
    slow.addBatch(createArrival([7], 0, NOW - 251), NOW)
    createUnread(slow)
  })

  test('if they became old while another event was being sent', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.addBatch(createArrival([7], 0, NOW - 251), NOW - 200)
    createUnread(arrivals)
  })

  test('if there are more of them than are buffered in memory', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    for (let seq = 1; seq <= 65; seq++) arrivals.addBatch(createArrival([seq], seq - 1), NOW)
    createUnread(arrivals)
  })

  test('if something else may be due', () => {
    const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
    arrivals.requireRead()
    createUnread(arrivals)
  })
})

test('an event that was read already is not used again when its batch arrives late', () => {
  const arrivals = new EventBuffer<ReturnType<typeof createArrival>>()
  arrivals.requireRead()
  arrivals.clearBeforeRead()
  // Handed while the read was under way, and found by it.
  arrivals.addBatch(createArrival([7, 8]), NOW)
  arrivals.markTried(8)
  expect(arrivals.takeBatch(NOW)).toBeUndefined()
  arrivals.clearBeforeRead()
  arrivals.addBatch(createArrival([8]), NOW)
  expect(arrivals.takeBatch(NOW)).toBeUndefined()
})
