// The functions: each fits on a screen, and its name says what it does to what.

import { expect, test } from 'vitest'
import { beginsWithParticiple } from './participles.ts'
import { readSources } from './sources.ts'
import { readSyntax } from './syntax.ts'

const MAX_LINES = 60

const facts = readSources().map(readSyntax)
const functions = facts.flatMap((file) => file.functions)
const named = functions.filter(({ name }) => name !== undefined)

/** Verbs that say nothing to an engineer, and the field's words for what they meant. */
const VAGUE_VERBS = /^#?(keep|tell|hand|settle|give|judge|bring|want|hear|wonder)(?=[A-Z]|$)/

const list = (those: typeof functions) => those.map(({ path, line, name }) => `${path}:${line} ${name}`)

test('no function is longer than a screen; tables are', () => {
  const long = functions.filter(({ isTable, lines }) => !isTable && lines > MAX_LINES)
  expect(long.map(({ path, line, name, lines }) => `${path}:${line} ${name} ${lines}`)).toEqual([])
})

test('no name of a function ends in `Of`: it begins with what the function does', () => {
  expect(list(named.filter(({ name = '' }) => /[a-z]Of$/.test(name)))).toEqual([])
})

test('no name of a function begins with a participle', () => {
  expect(list(named.filter(({ name = '' }) => beginsWithParticiple(name)))).toEqual([])
})

test('no name of a function begins with a verb for which the field has a better one', () => {
  const vague = named.filter(({ name = '' }) => VAGUE_VERBS.test(name))
  expect(list(vague)).toEqual([])
})

test('no literal is spread into a literal to save lines', () => {
  const spreads = facts.flatMap(({ spreadLiterals }) => spreadLiterals)
  expect(spreads.map(({ path, line }) => `${path}:${line}`)).toEqual([])
})
