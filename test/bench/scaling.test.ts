// docs/run/scaling.md shows what the computation says.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, test } from 'vitest'
import { computeNeed, formatRow, SIZES } from './scaling.ts'

test('the page has the rows of the computation', () => {
  const page = readFileSync(join(projectRoot, 'docs', 'run', 'scaling.md'), 'utf8')
  for (const size of SIZES) expect(page).toContain(formatRow(computeNeed(size)))
})

test('twice as many instances need twice as much', () => {
  const [one, two] = [computeNeed(10_000), computeNeed(20_000)]
  expect(two.cores.edge).toBeCloseTo(2 * one.cores.edge)
  expect(two.hosts).toBe(40)
})
