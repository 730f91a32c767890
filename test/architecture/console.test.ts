// What a browser loads before the console is there: it has to come quickly by a bad line too.

import { gzipSync } from 'node:zlib'
import { bundleConsole } from '@msgnet/cli/build/bundle-console.ts'
import { expect, test } from 'vitest'

const MAX_BYTES = 120 * 1024
const MAX_LATER_BYTES = 16 * 1024
const MAX_ALL_BYTES = 140 * 1024

const { page, files } = await bundleConsole()
/** A browser loads one language, and these pages only once one of them is opened. */
const isLoadedFirst = (name: string) =>
  !/^(portuguese|spanish|account-pages|simulation-page|conversation-tab|command-palette|drawn-kinds|emoji-grid|inbox-page|thread-parts)\./.test(
    name,
  )
const measureBytes = (texts: string[]) => texts.reduce((sum, text) => sum + gzipSync(text).length, 0)

test('the console is at most 120 KB on its way', () => {
  const loaded = Object.keys(files).filter(isLoadedFirst)
  expect(Object.keys(files)).toHaveLength(loaded.length + 10)
  expect(measureBytes([page, ...loaded.map((name) => files[name] ?? '')])).toBeLessThanOrEqual(MAX_BYTES)
})

test('all that a browser ever loads, in one language, is at most 140 KB', () => {
  const all = Object.keys(files).filter((name) => !/^(portuguese|spanish)\./.test(name))
  expect(measureBytes([page, ...all.map((name) => files[name] ?? '')])).toBeLessThanOrEqual(MAX_ALL_BYTES)
})

test('what is loaded when it is opened, the simulation, the conversation or the pages of an account, is at most 16 KB each time', () => {
  const later = Object.keys(files).filter((name) =>
    /^(account-pages|simulation-page|conversation-tab|command-palette|drawn-kinds|emoji-grid|inbox-page|thread-parts)\./.test(
      name,
    ),
  )
  expect(later).toHaveLength(8)
  for (const name of later) expect(measureBytes([files[name] ?? ''])).toBeLessThanOrEqual(MAX_LATER_BYTES)
})

test('its page has no script or style of its own: its policy would refuse them', () => {
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
})

test('the page asks at once for each script that its own begins with', () => {
  const listImports = (name: string): string[] =>
    [...(files[name] ?? '').matchAll(/(?:\bfrom|\bimport)"\.\/([^"]+)"/g)].map(([, part = '']) => part)
  const found = new Set(Object.keys(files).filter((name) => name.startsWith('app.')))
  for (const name of found) for (const part of listImports(name)) found.add(part)
  const named = [...page.matchAll(/(?:modulepreload" href|src)="\/console\/([^"]+)"/g)].map(
    ([, name]) => name,
  )
  expect(found.size).toBeGreaterThan(3)
  expect(named.sort()).toEqual([...found].sort())
})
