// The clients in other languages: what is committed is what the declared routes make, and their own tests pass where the machine has the language.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildClientModel } from '@msgnet/cli/build/clients/client-model.ts'
import { generateClientFiles } from '@msgnet/cli/build/clients/generated-files.ts'
import { describe, expect, test } from 'vitest'
import { clients, createEnvironment, findMissing, languages } from './languages.ts'

const root = join(import.meta.dirname, '..', '..')

test('the committed files of the clients are those that `npm run build:clients` writes', () => {
  const files = Object.entries(generateClientFiles())
  expect(files.length).toBeGreaterThan(8)
  const outdated = files.filter(([path, text]) => readFileSync(join(root, path), 'utf8') !== text)
  expect(outdated.map(([path]) => path)).toEqual([])
})

test('git knows which files of the clients are generated, and hides them in reviews', () => {
  const paths = Object.keys(generateClientFiles()).filter((path) => !path.endsWith('LICENSE'))
  const listing = execFileSync('git', ['check-attr', 'linguist-generated', '--', ...paths], { cwd: root })
  const unmarked = String(listing)
    .trim()
    .split('\n')
    .filter((line) => !line.endsWith('linguist-generated: set'))
  expect(unmarked).toEqual([])
})

test('no field of a request is of any type in the generated clients', () => {
  const { instance, admin } = buildClientModel()
  const untyped = [...instance, ...admin].flatMap(({ id, fields }) =>
    fields.filter(({ type }) => JSON.stringify(type).includes('"any"')).map(({ name }) => `${id}.${name}`),
  )
  expect(untyped).toEqual([])
})

describe.each(languages)('the client in $language', (own) => {
  test('passes its own tests of repeats, pages, streams and signatures', ({ skip }) => {
    const missing = findMissing(own)
    if (missing) skip(missing)
    const options = { cwd: join(clients, own.language), env: createEnvironment(), stdio: 'pipe' } as const
    execFileSync(own.needs[0], own.tests, options)
  }, 240_000)
})
