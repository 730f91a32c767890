// The tables of the contract's rules and of the threats are true: each test that they name is there.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './sources.ts'

const tables = [
  {
    of: 'the rules of the contract',
    file: 'test/contract/README.md',
    folder: 'test/contract',
    head: 'Rule',
    least: 300,
  },
  { of: 'the threats', file: 'SECURITY.md', folder: 'test', head: 'Attack', least: 35 },
]

describe.each(tables)('the table of $of', ({ file, folder, head, least }) => {
  const rows = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith(`| ${head} |`))
    .map((line) => ({
      line,
      named: /^\| .+ \| `([\w./-]+(?:\.test|endings\/test-endings)\.ts)` (.+) \|$/.exec(line),
    }))

  test('has no row without a test', () => {
    expect(rows.length).toBeGreaterThan(least)
    expect(rows.filter(({ named }) => !named).map(({ line }) => line)).toEqual([])
  })

  test('names tests that exist', () => {
    const missing = rows.filter(({ named }) => {
      const [, path = '', title = ''] = named ?? []
      const at = join(root, folder, path)
      return !existsSync(at) || !readFileSync(at, 'utf8').includes(title)
    })
    expect(missing.map(({ line }) => line)).toEqual([])
  })
})
