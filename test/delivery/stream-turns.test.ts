// Many streams of one instance that catch up with all that is stored do not take the edge from the streams of others.

import { takeStreamTurn } from '@msgnet/edge/delivery/stream-turns.ts'
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
