// Acts begin between other work of a host, round the instances.

import { setImmediate as waitForLoop } from 'node:timers/promises'
import { ActTurns } from '@msgnet/session-host/actions/act-turns.ts'
import { expect, onTestFinished, test, vi } from 'vitest'

const never = new AbortController().signal

/** An act that works so long without waiting for anything. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until) void 0
}

test('acts that take long begin one by one, with the event loop between, round the instances', async () => {
  const acts = new ActTurns()
  const began: string[] = []
  const begin = async (instance: string) => {
    expect(await acts.takeTurn(instance, never)).toBeUndefined()
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

test('beyond those that wait of an instance, and when its time is over, an act is refused with a time to wait', async () => {
  const acts = new ActTurns()
  const { maxWaitingOfOne } = acts.turns.limits
  const leaving = new AbortController()
  const all = Array.from({ length: maxWaitingOfOne + 1 }, () => acts.takeTurn('one', leaving.signal))
  expect(await acts.takeTurn('one', never)).toMatchObject({
    kind: 'refused',
    fault: 'quota_reached',
    message: 'Too many requests of the instance are waiting.',
    waitMs: expect.any(Number),
  })
  leaving.abort()
  const ended = await Promise.all(all)
  expect(ended.filter((refusal) => refusal === undefined)).toHaveLength(1)
  expect(ended.at(-1)).toMatchObject({
    fault: 'quota_reached',
    message: 'Other requests took all the time there was.',
  })
})
