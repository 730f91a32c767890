// How often a caller may have an instance log in, on a clock that the test moves.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KIND, startWorld, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

/** How often it was done until it was refused, each a second after the one before: an instance opens at most one socket a second. */
async function repeatUntilRefused(act: () => Promise<Outcome>): Promise<{ done: number; refusal: Outcome }> {
  for (let done = 0; done < 100; done += 1) {
    const outcome = await act()
    if (outcome.kind === 'refused') return { done, refusal: outcome }
    expect(outcome.kind).toBe('done')
    await world.clock.moveTime(SECOND)
  }
  throw new Error('it was done a hundred times')
}

const isRefused = { fault: 'quota_reached', waitMs: expect.any(Number) }

/** Refused until its time is over, to the millisecond, and done then. */
async function expectWait(act: () => Promise<Outcome>, refusal: Outcome): Promise<void> {
  expect(refusal).toMatchObject(isRefused)
  expect(await act()).toEqual(refusal)
  const { waitMs } = refusal as { waitMs: number }
  await world.clock.moveTime(waitMs - 1)
  expect(await act()).toMatchObject({ ...isRefused, waitMs: 1 })
  await world.clock.moveTime(1)
  expect((await act()).kind).toBe('done')
}

test('an instance that is restarted again and again is refused with the time to wait, and a neighbour is not', async () => {
  const loud = await world.linkPhone('5511970000001')
  const quiet = await world.linkPhone('5511970000002')
  world.clock.holdTime()
  await world.clock.moveTime(SECOND)
  const restart = (instance: string) => world.edge.performAction(instance, 'session.restart', KIND)
  const { done, refusal } = await repeatUntilRefused(() => restart(loud))
  expect(done).toBeGreaterThanOrEqual(29)
  expect((await restart(quiet)).kind).toBe('done')
  await world.waitUntilLoggedIn(loud)
  await expectWait(() => restart(loud), refusal)
})

test('pairings that are begun and ended by turns are refused too, and what ends one is not', async () => {
  const instance = crypto.randomUUID()
  const connect = () => world.edge.performAction(instance, 'session.connect', KIND)
  const disconnect = () => world.edge.performAction(instance, 'session.disconnect', {})
  const pair = async () => {
    const connected = await connect()
    expect((await disconnect()).kind).toBe('done')
    return connected
  }
  const { done, refusal } = await repeatUntilRefused(pair)
  expect(done).toBeGreaterThanOrEqual(29)
  await expectWait(pair, refusal)
})
