// Commits to a shared store: together in one request, refused one by one.

import { LibsqlError } from '@libsql/client'
import { createGroupCommit } from '@msgnet/session-host/store/store-group-commit.ts'
import { expect, test } from 'vitest'

/** A store that takes a round only when the test lets it, and refuses every one with `bad` in it. */
function createStore() {
  const batches: string[][] = []
  const turns: (() => void)[] = []
  const write = createGroupCommit<string>(async (items) => {
    batches.push(items)
    await new Promise<void>((resolve) => turns.push(resolve))
    if (items.includes('silence')) throw new Error('the store did not respond')
    if (items.includes('bad')) throw new LibsqlError('CHECK constraint failed', 'SQLITE_CONSTRAINT')
  })
  return {
    batches,
    write,
    async resolveAll() {
      for (let turn = turns.shift(); turn; turn = turns.shift()) {
        turn()
        // The answered calls, and the round after them, have run.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

test('commits during a round form the next round, whole and in order', async () => {
  const { batches, write, resolveAll } = createStore()
  const writes = [write(['a']), write(['b', 'c']), write(['d'])]
  expect(batches).toEqual([['a']])
  await resolveAll()
  await Promise.all(writes)
  expect(batches).toEqual([['a'], ['b', 'c', 'd']])
})

test('a refused commit fails alone: the others of its round are sent again and stored', async () => {
  const { batches, write, resolveAll } = createStore()
  const writes = [write(['first']), write(['one']), write(['bad', 'too']), write(['two'])]
  const outcomes = Promise.allSettled(writes)
  await resolveAll()
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(batches).toEqual([['first'], ['one', 'bad', 'too', 'two'], ['one'], ['bad', 'too'], ['two']])
})

test('a round without an answer is not repeated: it may have been stored', async () => {
  const { batches, write, resolveAll } = createStore()
  const outcomes = Promise.allSettled([write(['first']), write(['one']), write(['silence'])])
  await resolveAll()
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(batches).toEqual([['first'], ['one', 'silence']])
})
