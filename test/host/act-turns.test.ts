// Acts begin between other work of a host, round the instances.

import { setImmediate as waitForLoop } from 'node:timers/promises'
import { ActTurns } from '@msgnet/session-host/actions/act-turns.ts'
import { expect, onTestFinished, test, vi } from 'vitest'

const never = new AbortController().signal
const BEGUN = { end: expect.any(Function) }

/** An act that works so long without waiting for anything. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until) void 0
}

test('acts that take long begin one by one, with the event loop between, round the instances', async () => {
  const acts = new ActTurns()
  const began: string[] = []
  const begin = async (instance: string) => {
    expect(await acts.takeTurn(instance, never)).toEqual(BEGUN)
    began.push(instance)
    work(3)
  }
  const all = ['one', 'one', 'one', 'two'].map(begin)
  for (let turn = 1; began.length < all.length; turn += 1) {
    await waitForLoop()
    expect(began.length).toBeLessThanOrEqual(turn)
  }
  await Promise.all(all)
  expect(began).toEqual(['one', 'two', 'one', 'one'])
})

test('after work of milliseconds the next act rests, and others have the event loop meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const acts = new ActTurns()
  await acts.takeTurn('one', never)
  work(5)
  let isWaiting = true
  const next = acts.takeTurn('two', never).then(() => {
    isWaiting = false
  })
  for (let turn = 0; turn < 5; turn += 1) await waitForLoop()
  expect(isWaiting).toBe(true)
  vi.runAllTimers()
  await next
})

test('an instance has a few acts under way; one that waits for the network for a second gives its place away', async () => {
  const acts = new ActTurns()
  const { maxUnderWayOfOne } = acts.places.limits
  const turns = await Promise.all(Array.from({ length: maxUnderWayOfOne }, () => acts.takeTurn('one', never)))
  const [second, third] = [acts.takeTurn('one', never), acts.takeTurn('one', never)]
  expect([acts.places.underWay, acts.places.waiting]).toEqual([maxUnderWayOfOne, 2])
  expect(await acts.takeTurn('two', never)).toEqual(BEGUN)
  const [first] = turns
  if (first && 'end' in first) first.end()
  expect(await second).toEqual(BEGUN)
  expect(await third).toEqual(BEGUN)
})

test('beyond those that wait of an instance, and when its time is over, an act is refused with a time to wait', async () => {
  const acts = new ActTurns()
  const { maxUnderWayOfOne, maxWaitingOfOne } = acts.places.limits
  const leaving = new AbortController()
  const length = maxUnderWayOfOne + maxWaitingOfOne
  const all = Array.from({ length }, () => acts.takeTurn('one', leaving.signal))
  expect(await acts.takeTurn('one', never)).toMatchObject({
    kind: 'refused',
    fault: 'quota_reached',
    message: 'Too many requests of the instance are waiting.',
    waitMs: expect.any(Number),
  })
  leaving.abort()
  expect((await Promise.all(all)).at(-1)).toMatchObject({
    fault: 'quota_reached',
    message: 'Other requests took all the time there was.',
  })
})
