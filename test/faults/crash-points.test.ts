// The host ended at each of its named points: nothing is lost, nothing happens twice, and no device has to be linked again.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPointClean, messagePoints, type Scaffold, startScaffold } from '../chaos/points.ts'

let scaffold: Scaffold

beforeAll(async () => {
  scaffold = await startScaffold()
})
afterAll(() => scaffold.close())

/** How often a scheduled message comes if its host dies there, and whether its outcome is unknown. */
const dueOutcomes = [
  ['before-due-send', { times: 1, isUnknown: false }],
  ['before-due-commit', { times: 1, isUnknown: false }],
  // It is stored that it is leaving, and its frame waits for that.
  ['after-due-commit', { times: 0, isUnknown: true }],
  ['after-network-write', { times: 1, isUnknown: expect.any(Boolean) }],
  ['before-outbox-commit', { times: 1, isUnknown: expect.any(Boolean) }],
  ['after-outbox-commit', { times: 1, isUnknown: expect.any(Boolean) }],
  ['after-due-send', { times: 1, isUnknown: false }],
] as const

test.each(dueOutcomes)('a host killed %s, with a scheduled message that is due', async (point, outcome) => {
  expect(await scaffold.crashDueSend(point)).toEqual(outcome)
})

test.each(messagePoints)('a host killed %s', async (point) => {
  const verdict = await scaffold.crashAtPoint(point)
  expect(verdict).toSatisfy(isPointClean)
})
