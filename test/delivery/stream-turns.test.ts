// Many streams of one instance that catch up with all that is stored do not take the edge from the streams of others, and neither do lists
// and exports that are sent page by page.

import { takeStreamTurn } from '@msgnet/edge/delivery/stream-turns.ts'
import { PacedTurns } from '@msgnet/edge/limits/paced-turns.ts'
import { type TurnLimits, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { expect, test } from 'vitest'

test('of sixteen streams of an instance one reads a page at a time, and a stream of another reads at once', async () => {
  let reading = 0
  let most = 0
  const held = Promise.withResolvers<void>()
  const readPage = async () => {
    most = Math.max(most, ++reading)
    await held.promise
    reading--
    return 'a page'
  }
  const pages = Array.from({ length: 16 }, () => takeStreamTurn('busy', readPage))
  expect(await takeStreamTurn('other', async () => 'its page')).toBe('its page')
  held.resolve()
  expect(await Promise.all(pages)).toEqual(Array(16).fill('a page'))
  expect(most).toBe(1)
})

const createTurns = (limits: Partial<TurnLimits>) =>
  new PacedTurns('of a test', {
    maxUnderWay: 4,
    maxUnderWayOfOne: 1,
    maxWaiting: 8,
    maxWaitingOfOne: 8,
    ...limits,
  })

test('a list that would wait behind too many others is refused, and one that has begun never is', async () => {
  const turns = createTurns({ maxWaitingOfOne: 1 })
  const held = Promise.withResolvers<string>()
  const first = turns.runFirst('busy', () => held.promise)
  const second = turns.runFirst('busy', async () => 'second')
  await expect(turns.runFirst('busy', async () => 'third')).rejects.toBeInstanceOf(TurnRefused)
  const begun = turns.runNext('busy', async () => 'begun')
  expect(await turns.runFirst('other', async () => 'of another')).toBe('of another')
  held.resolve('first')
  expect(await Promise.all([first, second, begun])).toEqual(['first', 'second', 'begun'])
})

test('the pages of one owner leave the event loop to others for as long as they take', async () => {
  const turns = createTurns({})
  const startedAt = performance.now()
  let worked = 0
  const readPage = async () => {
    const pageStartedAt = performance.now()
    while (performance.now() - pageStartedAt < 10);
    worked += performance.now() - pageStartedAt
  }
  await Promise.all(Array.from({ length: 6 }, () => turns.runNext('busy', readPage)))
  expect(worked / (performance.now() - startedAt)).toBeLessThan(0.6)
})

test('an owner that has used the time of its minute has its list refused, and what has begun goes on later', async () => {
  const turns = createTurns({ costPerMinute: 6000, maxSavedCost: 50 })
  await turns.runFirst('busy', () => new Promise((resolve) => setTimeout(resolve, 100)))
  await expect(turns.runFirst('busy', async () => 'a list')).rejects.toMatchObject({ reason: 'cost' })
  const startedAt = performance.now()
  expect(await turns.runNext('busy', async () => 'a page')).toBe('a page')
  expect(performance.now() - startedAt).toBeGreaterThan(10)
})
