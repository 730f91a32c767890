// Work that is asked for while it is under way: done once more, never twice at a time; and waiting that ends at a deadline.

import { expect, test } from 'vitest'
import { coalesce } from '../../shared/coalesce.ts'
import { withDeadline } from '../../shared/deadline.ts'

/** Work that ends when it is told to. */
function makeWork() {
  const begun: PromiseWithResolvers<void>[] = []
  const work = () => {
    const run = Promise.withResolvers<void>()
    begun.push(run)
    return run.promise
  }
  const end = async (n: number) => {
    begun[n]?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begun, work, end }
}

test('however often it is asked for meanwhile, it is done once more, and all of them have waited for that', async () => {
  const { begun, work, end } = makeWork()
  const { run, lead } = coalesce(work)
  let over = 0
  const runs = [run(), run(), run()].map((one) => one.then(() => over++))
  expect(begun).toHaveLength(1)
  expect(lead()).toBeUndefined()
  await end(0)
  expect([begun.length, over]).toEqual([2, 0])
  await end(1)
  await Promise.all(runs)
  expect(begun).toHaveLength(2)
  void run()
  expect(begun).toHaveLength(3)
})

test('what has failed is begun anew for the next who asks', async () => {
  const { begun, work } = makeWork()
  const { run } = coalesce(work)
  const failed = run()
  begun[0]?.reject(new Error('no luck'))
  await expect(failed).rejects.toThrow('no luck')
  void run()
  expect(begun).toHaveLength(2)
})

test('work that was lost is begun anew, and what is left of it does not begin another run', async () => {
  const { begun, work, end } = makeWork()
  const { lead } = coalesce(work, -1)
  void lead()
  expect(lead()).toBeDefined()
  expect(begun).toHaveLength(2)
  await end(0)
  expect(begun).toHaveLength(2)
})

test('a deadline answers, or throws, in place of work that does not end', async () => {
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
