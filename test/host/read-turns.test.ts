// Acts that read go between other work of a host, one in a turn of the event loop.

import { setImmediate as waitForLoop } from 'node:timers/promises'
import { ReadTurns } from '@msgnet/session-host/actions/read-turns.ts'
import { expect, onTestFinished, test, vi } from 'vitest'

const never = new AbortController().signal

test('of many reads one begins in a turn of the event loop, round the instances', async () => {
  const reads = new ReadTurns()
  const began: string[] = []
  const begin = async (instance: string) => {
    expect(await reads.takeTurn(instance, never)).toBeUndefined()
    began.push(instance)
  }
  const all = [begin('one'), begin('one'), begin('one'), begin('two')]
  for (let turn = 0; began.length < all.length; turn += 1) {
    await waitForLoop()
    expect(began.length).toBeLessThanOrEqual(turn + 1)
  }
  await Promise.all(all)
  expect(began).toEqual(['one', 'two', 'one', 'one'])
})

test('after a read that took long the next rests, and others have the event loop meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const reads = new ReadTurns()
  await reads.takeTurn('one', never)
  const until = performance.now() + 5
  while (performance.now() < until) void 0
  let isWaiting = true
  const next = reads.takeTurn('two', never).then(() => {
    isWaiting = false
  })
  for (let turn = 0; turn < 5; turn += 1) await waitForLoop()
  expect(isWaiting).toBe(true)
  vi.runAllTimers()
  await next
})

test('beyond those that wait of an instance, and when its time is over, a read is refused with a time to wait', async () => {
  const reads = new ReadTurns()
  const { maxWaitingOfOne } = reads.turns.limits
  const leaving = new AbortController()
  const all = Array.from({ length: maxWaitingOfOne + 1 }, () => reads.takeTurn('one', leaving.signal))
  expect(await reads.takeTurn('one', never)).toMatchObject({
    kind: 'refused',
    fault: 'quota_reached',
    message: 'Too many requests that read are waiting.',
    waitMs: expect.any(Number),
  })
  leaving.abort()
  const ended = await Promise.all(all)
  expect(ended.filter((refusal) => refusal === undefined)).toHaveLength(1)
  expect(ended.at(-1)).toMatchObject({
    fault: 'quota_reached',
    message: 'Other requests that read took all the time there was.',
  })
})
