// How long a message waits that names no delay: as its instance is set, at random (`/instance/updateDelaySettings`).

import { chooseDelay } from '@msgnet/edge/routes/message-delay.ts'
import { expect, test } from 'vitest'

const createPacing = (delayMin: number, delayMax: number) => ({ delayMin, delayMax })

test('each message waits a random time between the two, in milliseconds', () => {
  const waits = Array.from({ length: 1000 }, () => chooseDelay(createPacing(2, 5), {}) ?? Number.NaN)
  expect(waits.every((wait) => wait >= 2000 && wait <= 5000)).toBe(true)
  // That a thousand were all in one half of it happens once in so many runs that it never does.
  expect(Math.min(...waits)).toBeLessThan(3500)
  expect(Math.max(...waits)).toBeGreaterThan(3500)
})

test('a message’s own delay has priority, also 0; without delays the field is absent', () => {
  expect([
    chooseDelay(createPacing(2, 5), { delay: 700 }),
    chooseDelay(createPacing(2, 5), { delay: 0 }),
  ]).toEqual([700, 0])
  expect([chooseDelay(createPacing(0, 0), {}), chooseDelay(createPacing(0, 0), { delay: 9 })]).toEqual([
    undefined,
    9,
  ])
})
