// A short run of random kills; the long one is `npm run test:faults`.
// @module-tag slow

import { expect, test } from 'vitest'
import { isRunClean, killAtRandom } from '../chaos/random-kills.ts'

test('processes killed under traffic and in the middle of histories lose and repeat nothing, and need no pairing', {
  timeout: 300_000,
  // What may have been lost is not tried again.
  retry: 0,
}, async () => {
  const verdict = await killAtRandom({ rounds: 5, seed: 20_260_917, devices: 5 })
  console.log(verdict)
  expect(verdict).toMatchObject({
    missing: 0,
    filesMissing: 0,
    editsMissing: 0,
    pastMissing: 0,
    pastDoubled: 0,
    historiesOpen: 0,
    altered: 0,
    doubled: 0,
    untrue: 0,
    falselyUnknown: 0,
    stuckKeys: 0,
    toPairAgain: 0,
    gaps: 0,
  })
  expect(verdict).toSatisfy(isRunClean)
  expect(verdict.messages).toBeGreaterThan(100)
  expect(verdict.sends).toBeGreaterThan(5)
  expect(verdict.files).toBeGreaterThan(9)
  expect(verdict.edits).toBeGreaterThan(3)
})
