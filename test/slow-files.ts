// Which tests `npm test` leaves to `npm run test:slow`, because they wait out leases, silence and delays, kill processes, start many gateways, or try
// all there is of a kind. A file says so of all its tests by `@module-tag slow` in its first lines, or of one by `tags`.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What vitest takes for a tag of a file. */
const FILE_TAG = /(?:\/\/|\*)\s*@module-tag\s+slow\b/

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => ({ file: `test/${name}`, text: readFileSync(join(import.meta.dirname, name), 'utf8') }))

export const isSlow = (text: string): boolean => FILE_TAG.test(text)

const select = (isSelected: (text: string) => boolean): string[] =>
  sources.filter(({ text }) => isSelected(text)).map(({ file }) => file)

/** All files, from the root of the project. */
export const testFiles = select(() => true)

/** All their tests are slow. */
export const slowFiles = select(isSlow)

/** Some of their tests are. */
export const partlySlowFiles = select(
  (text) => !isSlow(text) && /\btags: ?(?:\[[^\]]*)?['"]slow['"]/.test(text),
)
