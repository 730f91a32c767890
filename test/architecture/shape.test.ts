// The shape of the code: files that hold one thing and say which, exact dependencies, and a README and docs that are true.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../../shared/api/api.ts'
import { readPages, readSources, root } from './sources.ts'

const MAX_LINES = 400
const MEDIAN_LINES = 80

const all = readSources()
const product = all.filter(({ path }) => !path.startsWith('test/'))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const dependencies: Record<string, string> = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
}

const countLines = ({ text }: { text: string }) => text.split('\n').length - 1

test('no file is longer than a reader can hold', () => {
  expect(all.filter((source) => countLines(source) > MAX_LINES).map(({ path }) => path)).toEqual([])
})

test('the middle file fits on one screen', () => {
  const sizes = product.map(countLines).sort((a, b) => a - b)
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(MEDIAN_LINES)
})

test('each file opens with a sentence that says what lives there', () => {
  expect(all.filter(({ text }) => !/^(#!.*\n)?\/\/ .{10,}/.test(text)).map(({ path }) => path)).toEqual([])
})

test('every dependency is exact, and the README says why it is there', () => {
  const loose = Object.entries(dependencies).filter(([, version]) => !/^(npm:[\w-]+@)?\d/.test(version))
  expect(loose).toEqual([])
  expect(Object.keys(dependencies).filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
})

test('no package in the lock file asks for a version of Node: `npm run lock` takes that out', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { engines?: unknown }>
  }
  const demanding = Object.entries(packages).filter(([path, { engines }]) => path !== '' && engines)
  expect(demanding.map(([path]) => path)).toEqual([])
})

// The tables of tests name them from `test/` on.
const PATH =
  /`((?!console\/[\w-]+\.test\.ts)(?:console|client|openapi|edge|session-host|shared|cli|simulator|migrations|test|docs|deploy)\/[\w./-]*)`/g
const LINK = /\]\((?!https?:|#|mailto:)([^)\s#]+)/g

test('every path that the README and the docs name exists', () => {
  const named = readPages().flatMap(({ path, text }) =>
    [...text.matchAll(PATH)].map(([, target = '']) => ({ path, target })),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ target }) => !existsSync(join(root, target)))).toEqual([])
})

test('every link between the pages, and from them into the code, leads somewhere', () => {
  const links = readPages().flatMap(({ path, text }) =>
    [...text.matchAll(LINK)].map(([, target = '']) => ({ path, target })),
  )
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ path, target }) => !existsSync(join(root, dirname(path), target)))).toEqual([])
})

test('every command that the README and the docs name exists', () => {
  const named = readPages().flatMap(({ path, text }) =>
    [...text.matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name = '']) => ({ path, name })),
  )
  expect(named.filter(({ name }) => !(name in manifest.scripts))).toEqual([])
})

test('every decision is in the list of the README', () => {
  const decisions = readPages().filter(({ path }) => path.startsWith('docs/decisions/'))
  expect(decisions.length).toBeGreaterThan(30)
  expect(decisions.filter(({ path }) => !readme.includes(`](${path})`)).map(({ path }) => path)).toEqual([])
})

test('every route that the page on migrating sends somebody to is declared', () => {
  const text = readPages().find(({ path }) => path === 'docs/migrating.md')?.text ?? ''
  const cells = text.split('\n').map((line) => line.split('|')[2] ?? '')
  const named = cells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, route = '']) => route),
  )
  const declared = Object.values(routes).map(({ method, path }) => `${method} ${path}`)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((route) => !declared.includes(route))).toEqual([])
})
