// The table of the contract's rules is true: each test that it names is there.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './sources.ts'

const folder = join(root, 'test', 'contract')
const rows = readFileSync(join(folder, 'README.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| .+ \| `([\w./-]+\.test\.ts)` (.+) \|$/.exec(line))
  .filter((row) => row !== null)

test('each rule of the contract names a test that exists', () => {
  expect(rows.length).toBeGreaterThan(50)
  const missing = rows.filter(([, file = '', title = '']) => {
    const path = join(folder, file)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
  })
  expect(missing.map(([line]) => line)).toEqual([])
})
