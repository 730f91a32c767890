// The clients in other languages: what is committed is what the declared routes make, and their own tests pass where the machine has the language.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generateClientFiles } from '../../cli/build/clients/generated-files.ts'
import { canRun } from '../optional-programs.ts'

const root = join(import.meta.dirname, '..', '..')

test('the committed files of the clients are those that `npm run build:clients` writes', () => {
  const files = Object.entries(generateClientFiles())
  expect(files.length).toBeGreaterThan(8)
  const outdated = files.filter(([path, text]) => readFileSync(join(root, path), 'utf8') !== text)
  expect(outdated.map(([path]) => path)).toEqual([])
})

const languages = [
  {
    language: 'python',
    program: 'python3',
    probe: ['-c', 'import sys; assert sys.version_info >= (3, 9)'],
    args: ['-m', 'unittest', 'discover', '-t', '.', 'tests'],
  },
  { language: 'go', program: 'go', probe: ['version'], args: ['test', './...'] },
]

describe.each(languages)('the client in $language', ({ language, program, probe, args }) => {
  test('passes its own tests of repeats, pages, streams and signatures', ({ skip }) => {
    if (!canRun(program, probe)) skip(`${program} is not on this machine`)
    const env = { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1', GOFLAGS: '-mod=mod' }
    execFileSync(program, args, { cwd: join(root, 'clients', language), env, stdio: 'pipe' })
  }, 120_000)
})
