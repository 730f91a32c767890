// How many gateways a run starts does not grow unseen: who starts one is named with the reason.

import { expect, test } from 'vitest'
import { ownGateways } from '../own-gateways.ts'
import { isSlow } from '../slow-files.ts'
import { readSources } from './sources.ts'

/** What `world.ts` and `scene.ts` export that starts a gateway. */
const STARTS =
  /\bimport \{[^}]*\b(?:startWorld|startStage|startScene)\b[^}]*\} from '\.\.\/(?:world|scene)\.ts'/

/** A run has some of these besides, one for each set of variables that its files borrow. */
const MAX_FILES = 32

test('each file of a run that starts gateways of its own says why it cannot borrow one', () => {
  const starting = readSources()
    .filter(({ path, text }) => path.endsWith('.test.ts') && !isSlow(text) && STARTS.test(text))
    .map(({ path }) => path)
  expect(starting.sort()).toEqual(Object.keys(ownGateways).sort())
  expect(starting.length).toBeLessThanOrEqual(MAX_FILES)
})
