// The tables of the contract's rules, of the threats and of users' wishes are true: each test that they name is there.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './sources.ts'

const readPage = (path: string) => readFileSync(join(root, path), 'utf8')

const tables = [
  {
    of: 'the rules of the contract',
    file: 'test/contract/README.md',
    folder: 'test/contract',
    head: 'Rule',
    least: 300,
  },
  { of: 'the threats', file: 'docs/code/threats.md', folder: 'test', head: 'Attack', least: 35 },
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

describe("the table of users' wishes", () => {
  const rows = readPage('docs/use/answers.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Wish |'))
    .map((line) => line.slice(2, -2).split(' | '))

  test('answers forty, and seventeen of autumn 2026, with yes, partly, no or never', () => {
    expect(rows).toHaveLength(40 + 17)
    const answers = rows.map(([wish, answer]) => ({ wish, answer }))
    expect(answers.filter(({ answer = '' }) => !['yes', 'partly', 'no', 'never'].includes(answer))).toEqual(
      [],
    )
    expect(rows.filter((row) => row.length !== 4)).toEqual([])
  })

  test('names a test that exists for each yes and each partly', () => {
    const missing = rows.filter(([, answer = '', , shown = '']) => {
      if (answer === 'no' || answer === 'never') return shown !== 'none'
      const [, path = '', title = ''] = /^`([\w/-]+\.test\.ts)` (.+)$/.exec(shown) ?? []
      const at = join(root, path)
      return title === '' || !existsSync(at) || !readFileSync(at, 'utf8').includes(title)
    })
    expect(missing).toEqual([])
  })
})

test('the licence is MIT, and no variable asks for a key of it', () => {
  expect(readPage('LICENSE')).toMatch(/^MIT License/)
  expect(readPage('docs/run/environment.md')).not.toMatch(/LICEN[CS]E|ACTIVAT/i)
  expect(readPage('README.md')).toContain('Nothing has to be activated')
})
