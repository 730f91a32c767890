// The turns behind every bound on shared work, on a clock of the test's own.

import { setImmediate as settle } from 'node:timers/promises'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, type TurnLimits, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { expect, test } from 'vitest'

const LIMITS: TurnLimits = { maxUnderWay: 2, maxUnderWayOfOne: 1, maxWaiting: 6, maxWaitingOfOne: 4 }

function openTurns(limits: Partial<TurnLimits> = {}) {
  const clock = { now: 5_000 }
  const turns = new FairTurns({ ...LIMITS, ...limits }, () => clock.now)
  const began: string[] = []
  const open: Record<string, Turn[]> = {}
  const refusals: string[] = []
  /** Asks for a turn, and stores it when it comes. */
  function ask(owner: string, signal?: AbortSignal): void {
    turns.takeTurn(owner, signal).then(
      (turn) => {
        began.push(owner)
        open[owner] = [...(open[owner] ?? []), turn]
      },
      (error) => refusals.push(`${owner} ${error instanceof TurnRefused ? error.reason : error}`),
    )
  }
  async function end(owner: string, cost?: number): Promise<void> {
    open[owner]?.shift()?.end(cost)
    await settle()
  }
  return { clock, turns, began, refusals, ask, end }
}

test('an owner that asks ten times leaves a place for the next one', async () => {
  const { began, refusals, ask, turns } = openTurns()
  for (let at = 0; at < 10; at += 1) ask('loud')
  ask('quiet')
  await settle()
  expect(began).toEqual(['loud', 'quiet'])
  expect(refusals).toEqual(Array(5).fill('loud waiting'))
  expect([turns.underWay, turns.waiting]).toEqual([2, 4])
})

test('places that are kept for owners without a turn are not taken by those that have some', async () => {
  const { began, ask, end } = openTurns({ maxUnderWay: 5, maxUnderWayOfOne: 4, keptForIdle: 2 })
  for (const owner of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) ask(owner)
  await settle()
  expect(began).toEqual(['a', 'a', 'a', 'b', 'c'])
  await end('b')
  expect(began).toEqual(['a', 'a', 'a', 'b', 'c', 'b'])
  // As many are under way as owners with turns may have.
  for (const owner of ['a', 'a']) await end(owner)
  expect(began).toHaveLength(6)
  await end('c')
  expect(began.slice(6)).toEqual(['a'])
})

test('turns go round those that wait', async () => {
  const { began, ask, end } = openTurns({ maxUnderWay: 1 })
  for (const owner of ['a', 'a', 'a', 'b', 'b', 'c']) ask(owner)
  await settle()
  for (const owner of ['a', 'b', 'c', 'a', 'b']) await end(owner)
  expect(began).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
})

test('a turn is ended once, however often that is said', async () => {
  const { turns, began, ask } = openTurns({ maxUnderWay: 1 })
  const turn = await turns.takeTurn('a')
  for (const owner of ['b', 'c']) ask(owner)
  turn.end()
  turn.end()
  await settle()
  expect(began).toEqual(['b'])
  expect([turns.underWay, turns.waiting]).toEqual([1, 1])
})

test('who has used its minute is refused, is told how long, and holds up nobody', async () => {
  const { clock, turns, began, refusals, ask, end } = openTurns({ maxUnderWay: 1, costPerMinute: 600 })
  for (const owner of ['a', 'a', 'b']) ask(owner)
  await settle()
  await end('a', 900)
  await end('b')
  expect(began).toEqual(['a', 'b'])
  expect(refusals).toEqual(['a cost'])
  await expect(turns.takeTurn('a')).rejects.toMatchObject({ reason: 'cost', waitMs: 30_000 })
  clock.now += 30_001
  await expect(turns.takeTurn('a')).resolves.toBeDefined()
})

test('a wait ends with its signal, and the place in the queue is free again', async () => {
  const { turns, refusals, ask } = openTurns({ maxUnderWay: 1, maxWaiting: 1 })
  const turn = await turns.takeTurn('a')
  const leaving = new AbortController()
  ask('b', leaving.signal)
  ask('c')
  leaving.abort()
  ask('d')
  await settle()
  expect(refusals).toEqual(['c waiting', 'b time'])
  turn.end()
  await settle()
  expect([turns.underWay, turns.waiting]).toEqual([1, 0])
})

test('work that fails gives its place back, and is charged', async () => {
  const { clock, turns } = openTurns({ maxUnderWay: 1, costPerMinute: 1000 })
  const work = turns.runTimed('a', async () => {
    clock.now += 40
    throw new Error('broken')
  })
  await expect(work).rejects.toThrow('broken')
  expect(turns.underWay).toBe(0)
  expect(turns.listOwners()).toMatchObject([{ owner: 'a', underWay: 0, waiting: 0, cost: 40 }])
})

test('a turn that goes on is charged meanwhile, and says how long its owner has nothing left', async () => {
  const { clock, turns } = openTurns({ costPerMinute: 60 })
  const turn = await turns.takeTurn('a')
  expect([turn.charge(50), turn.charge(40)]).toEqual([0, 30_000])
  clock.now += 30_001
  expect(turn.charge(0)).toBe(0)
  turn.end(5)
  expect(turns.cost).toBe(95)
})

test('bytes are charged without a turn', () => {
  const { clock, turns } = openTurns({ costPerMinute: 60 })
  expect([turns.charge('a', 50), turns.charge('a', 40), turns.charge('b', 1)]).toEqual([0, 0, 0])
  expect(turns.charge('a', 1)).toBe(30_000)
  clock.now += 30_001
  expect(turns.charge('a', 1)).toBe(0)
})

test('an owner that has its whole minute again is forgotten, and one that was refused after a quarter of an hour', async () => {
  const { clock, turns } = openTurns({ maxUnderWay: 1, maxWaiting: 0, costPerMinute: 60 })
  const turn = await turns.takeTurn('a')
  await expect(turns.takeTurn('refused')).rejects.toMatchObject({ reason: 'waiting' })
  turn.end(30)
  clock.now += 61_000
  await turns.runTimed('c', async () => undefined)
  expect(turns.listOwners().map(({ owner }) => owner)).toEqual(['refused', 'c'])
  clock.now += 16 * 60_000
  await turns.runTimed('b', async () => undefined)
  expect(turns.listOwners().map(({ owner }) => owner)).toEqual(['b'])
})

test('work that waits elsewhere asks whose turn is next, and gets it at once or is refused', () => {
  const { turns } = openTurns()
  expect(turns.findNextOwner(['a', 'b'])).toBe('a')
  const first = turns.takeTurnNow('a')
  expect(() => turns.takeTurnNow('a')).toThrow('no turn: waiting')
  expect(turns.findNextOwner(['a', 'b'])).toBe('b')
  const second = turns.takeTurnNow('b')
  expect(turns.findNextOwner(['a', 'b', 'c'])).toBeUndefined()
  first.end()
  second.end()
  // Both have had a turn: the one whose turn is longer ago.
  expect(turns.findNextOwner(['b', 'a'])).toBe('a')
  expect(turns.findNextOwner(['b', 'a', 'c'])).toBe('c')
})

test('an owner may save up more than it gets in a minute, and what it owes is not forgotten while it is away', () => {
  const { clock, turns } = openTurns({ costPerMinute: 10, maxSavedCost: 600 })
  turns.takeTurnNow('a').end(600 + 400)
  expect(() => turns.takeTurnNow('a')).toThrow('no turn: cost')
  // Longer than an idle owner is remembered.
  clock.now += 30 * MINUTE
  expect(turns.charge('b', 1)).toBe(0)
  expect(() => turns.takeTurnNow('a')).toThrow('no turn: cost')
  clock.now += 11 * MINUTE
  turns.takeTurnNow('a').end()
  clock.now += 60 * MINUTE
  expect(turns.charge('b', 1)).toBe(0)
  expect(turns.listOwners().map(({ owner }) => owner)).toEqual(['b'])
})
