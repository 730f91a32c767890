// What the pages say of costs, memory and kills is what a recorded run found.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readFigures, renderFigures } from '../figures/recorded-figures.ts'

test('the page and the picture of figures show what the recorded runs found, and nothing else', () => {
  const figures = readFigures()
  expect(Object.keys(figures).sort()).toEqual(['costs', 'kills', 'sessions', 'ways'])
  for (const [path, text] of Object.entries(renderFigures(figures)))
    expect(readFileSync(path, 'utf8'), path).toBe(text)
})
