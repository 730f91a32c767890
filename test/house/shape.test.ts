// The shape of the house: files that hold one thing and say which, exact dependencies, and a README that is true.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, sources } from './sources.ts'

const MOST_LINES = 250
const MEDIAN_LINES = 80

const all = sources()
const product = all.filter(({ path }) => !path.startsWith('test/'))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const dependencies: Record<string, string> = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
}

const lines = ({ text }: { text: string }) => text.split('\n').length - 1

test('no file is longer than a reader can hold', () => {
  expect(all.filter((source) => lines(source) > MOST_LINES).map(({ path }) => path)).toEqual([])
})

test('the middle file fits on one screen', () => {
  const sizes = product.map(lines).sort((a, b) => a - b)
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(MEDIAN_LINES)
})

test('each file opens with a sentence that says what lives there', () => {
  expect(all.filter(({ text }) => !/^(#!.*\n)?\/\/ .{10,}/.test(text)).map(({ path }) => path)).toEqual([])
})

test('every dependency is exact, and the README says why it is there', () => {
  const loose = Object.entries(dependencies).filter(([, version]) => !/^\d/.test(version))
  expect(loose).toEqual([])
  expect(Object.keys(dependencies).filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
})

test('every path that the README names exists', () => {
  const named = [...readme.matchAll(/`((?:edge|session-host|shared|local|migrations|test|docs)\/[\w./-]*)`/g)]
  expect(named.length).toBeGreaterThan(10)
  expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('every command that the README names exists', () => {
  const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !(name in manifest.scripts))).toEqual([])
})
