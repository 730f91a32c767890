// Work that is requested during a run of it: done once more, never twice at a time; and waiting that ends at a deadline.

import { Coalescer } from '@msgnet/shared/coalescer.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { expect, test } from 'vitest'

/** Work that ends when the test ends it. */
function createWork() {
  const begun: PromiseWithResolvers<void>[] = []
  const startWork = () => {
    const run = Promise.withResolvers<void>()
    begun.push(run)
    return run.promise
  }
  const endWork = async (n: number) => {
    begun[n]?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begun, startWork, endWork }
}

test('requests during a run share one further run and wait for it', async () => {
  const { begun, startWork, endWork } = createWork()
  const coalescer = new Coalescer(startWork)
  let over = 0
  const runs = [coalescer.run(), coalescer.run(), coalescer.run()].map((one) => one.then(() => over++))
  expect(begun).toHaveLength(1)
  expect(coalescer.startUnlessRunning()).toBeUndefined()
  await endWork(0)
  expect([begun.length, over]).toEqual([2, 0])
  await endWork(1)
  await Promise.all(runs)
  expect(begun).toHaveLength(2)
  void coalescer.run()
  expect(begun).toHaveLength(3)
})

test('a failed run is started again by the next request', async () => {
  const { begun, startWork } = createWork()
  const coalescer = new Coalescer(startWork)
  const failed = coalescer.run()
  begun[0]?.reject(new Error('no luck'))
  await expect(failed).rejects.toThrow('no luck')
  void coalescer.run()
  expect(begun).toHaveLength(2)
})

test('a lost run is started again, and its remainder starts no further run', async () => {
  const { begun, startWork, endWork } = createWork()
  const coalescer = new Coalescer(startWork, -1)
  void coalescer.startUnlessRunning()
  expect(coalescer.startUnlessRunning()).toBeDefined()
  expect(begun).toHaveLength(2)
  await endWork(0)
  expect(begun).toHaveLength(2)
})

test('a deadline answers, or throws, for work that does not end', async () => {
  const never = new Promise<string>(() => undefined)
  expect(await withDeadline(never, 1, () => 'late')).toBe('late')
  const throwing = withDeadline(never, 1, () => {
    throw new Error('too late')
  })
  await expect(throwing).rejects.toThrow('too late')
  expect(await withDeadline(Promise.resolve('there'), 60_000, () => 'late')).toBe('there')
  await expect(withDeadline(Promise.reject(new Error('broken')), 60_000, () => 'late')).rejects.toThrow(
    'broken',
  )
})
