// The table of the contract's rules is true: each test that it names is there.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './sources.ts'

const folder = join(root, 'test', 'contract')
const lines = readFileSync(join(folder, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!Rule \| Test)/.test(line))
const rows = lines.map((line) => ({ line, named: /^\| .+ \| `([\w./-]+\.test\.ts)` (.+) \|$/.exec(line) }))

test('no rule of the contract is without a test', () => {
  expect(rows.length).toBeGreaterThan(200)
  expect(rows.filter(({ named }) => !named).map(({ line }) => line)).toEqual([])
})

test('each test that the rules name exists', () => {
  const missing = rows.filter(({ named }) => {
    const [, file = '', title = ''] = named ?? []
    const path = join(folder, file)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
  })
  expect(missing.map(({ line }) => line)).toEqual([])
})
