// The files: each holds one subject and says which, is found by its name, and is neither packed nor cut into scraps.

import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { readSources, type Source } from './sources.ts'

const MAX_LINES = 400
const MAX_MEDIAN_LINES = 80
const SCRAP_LINES = 40

const all = readSources()
const product = all.filter(({ path }) => !path.startsWith('test/'))

const countLines = ({ text }: Source) => text.split('\n').length - 1
const readBaseName = ({ path }: Source) => basename(path).replace(/\.tsx?$/, '')

test('no file is longer than a reader can hold', () => {
  expect(all.filter((source) => countLines(source) > MAX_LINES).map(({ path }) => path)).toEqual([])
})

test('the middle file fits on one screen', () => {
  const sizes = product.map(countLines).sort((a, b) => a - b)
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(MAX_MEDIAN_LINES)
})

test('each file opens with a sentence that says what lives there', () => {
  expect(all.filter(({ text }) => !/^(#!.*\n)?\/\/ .{10,}/.test(text)).map(({ path }) => path)).toEqual([])
})

test('no two files of the product have the same name, so that a search for one finds it', () => {
  const byName = Map.groupBy(product, readBaseName)
  const shared = [...byName].filter(([name, files]) => name !== 'index' && files.length > 1)
  expect(shared.map(([name, files]) => `${name}: ${files.map(({ path }) => path).join(' ')}`)).toEqual([])
})

test('no short file has its only importer beside it, unless its first lines say why it is apart', () => {
  const importers = new Map<string, string[]>()
  for (const { path, imports } of product)
    for (const target of new Set(imports)) importers.set(target, [...(importers.get(target) ?? []), path])
  const scraps = product.filter((source) => {
    const [only, ...others] = importers.get(source.path) ?? []
    const isBeside = only !== undefined && others.length === 0 && dirname(only) === dirname(source.path)
    return isBeside && countLines(source) < SCRAP_LINES && !/Apart from \S+,\s/.test(source.text)
  })
  expect(scraps.map(({ path }) => path)).toEqual([])
})
