// How often a caller may have an instance log in, on a clock that the test moves.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../shared/date-time.ts'
import { KIND, startWorld, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

/** The answers of so many times the same, each a second after the one before: an instance opens at most one socket a second. */
async function repeat(times: number, act: () => Promise<{ kind: string }>): Promise<string[]> {
  const kinds: string[] = []
  for (let time = 0; time < times; time += 1) {
    kinds.push((await act()).kind)
    await world.clock.moveTime(SECOND)
  }
  return kinds
}

test('an instance that is restarted again and again is refused with the time to wait, and a neighbour is not', async () => {
  const loud = await world.linkPhone('5511970000001')
  const quiet = await world.linkPhone('5511970000002')
  const restart = (instance: string) => world.edge.performAction(instance, 'session.restart', KIND)
  const kinds = await repeat(45, () => restart(loud))
  expect(kinds.slice(0, 29)).toEqual(Array(29).fill('done'))
  expect(kinds).toContain('refused')
  await repeat(10, () => restart(loud))
  expect(await restart(loud)).toMatchObject({ fault: 'quota_reached', waitMs: expect.any(Number) })
  expect(world.findState(loud)).toMatchObject({ loggedIn: true })
  expect((await restart(quiet)).kind).toBe('done')
  await world.clock.moveTime(MINUTE / 4)
  expect((await restart(loud)).kind).toBe('done')
})

test('pairings that are begun and ended by turns are refused too, and what ends one is not', async () => {
  const instance = crypto.randomUUID()
  const connect = () => world.edge.performAction(instance, 'session.connect', KIND)
  const disconnect = () => world.edge.performAction(instance, 'session.disconnect', {})
  const kinds = await repeat(50, async () => {
    const connected = await connect()
    expect((await disconnect()).kind).toBe('done')
    return connected
  })
  expect(kinds.slice(0, 29)).toEqual(Array(29).fill('done'))
  expect(kinds.slice(-5)).toContain('refused')
})
