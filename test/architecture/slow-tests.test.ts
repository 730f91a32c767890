// Every test is run by `npm test` or by `npm run test:slow`: none has a tag that only one of the two reads.

import { expect, test } from 'vitest'
import { partlySlowFiles, slowFiles } from '../slow-files.ts'
import { readSources } from './sources.ts'

test('a file that speaks of tags is among the slow ones, as a whole or in part', () => {
  const tagged = readSources()
    .filter(
      ({ path, text }) => path.endsWith('.test.ts') && /@module-tag|\btags['"]?\s*[:,]\s*[['"\w]/.test(text),
    )
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('test/architecture/'))
  expect(tagged.length).toBeGreaterThan(100)
  expect(tagged.filter((path) => ![...slowFiles, ...partlySlowFiles].includes(path))).toEqual([])
})
