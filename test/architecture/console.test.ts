// What a browser loads before the console is there: it has to come quickly by a bad line too.

import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundleConsole } from '../../cli/build/bundle-console.ts'

const MAX_BYTES = 120 * 1024

test('the console is at most 120 KB on its way', async () => {
  const { page, files } = await bundleConsole()
  // A browser loads one language.
  const loaded = Object.keys(files).filter((name) => !/^(portuguese|spanish)\./.test(name))
  expect(Object.keys(files)).toHaveLength(loaded.length + 2)
  const sizes = [page, ...loaded.map((name) => files[name]?.text ?? '')].map((text) => gzipSync(text).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES)
})

test('its page has no script or style of its own: its policy would refuse them', async () => {
  const { page } = await bundleConsole()
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
})
