// The host ended at each of its named points: nothing is lost, nothing happens twice, and no device has to be linked again.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashPoints } from '../../session-host/crash-points.ts'
import { isPointClean, type Scaffold, startScaffold } from '../chaos/points.ts'

let scaffold: Scaffold

beforeAll(async () => {
  scaffold = await startScaffold()
})
afterAll(() => scaffold.close())

test.each(crashPoints)('a host killed %s', async (point) => {
  const verdict = await scaffold.crashAtPoint(point)
  expect(verdict).toSatisfy(isPointClean)
})
