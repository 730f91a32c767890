// Words that were given up, by docs/glossary.md, do not come back; and the slow tests that are named are there.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { slow } from '../slow.ts'
import { root, sources } from './sources.ts'

const givenUp =
  /\b(rousing|wonder|comeToLight|parcels|Letter|HeldStore|fates|stillness|collectParcel|bringParcel)\b/

test('no file of the code has a word that was given up', () => {
  const found = sources()
    .filter(({ path, text }) => !path.startsWith('test/architecture/') && givenUp.test(text))
    .map(({ path, text }) => `${path}: ${givenUp.exec(text)?.[0]}`)
  expect(found).toEqual([])
})

test('every slow test file is there', () => {
  expect(slow.length).toBeGreaterThan(5)
  expect(slow.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
