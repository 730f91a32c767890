// The pages of the edge are built again when one of their sources has changed, and only then.

import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fingerprintOf } from '../../cli/build/fingerprint.ts'
import { buildPages, hasMark, pages } from '../../cli/build/pages.ts'
import { projectRoot } from '../../cli/build/root.ts'

function makeProject(): { root: string; write(path: string, text: string): void } {
  const root = mkdtempSync(join(tmpdir(), 'sources-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folders = ['client', 'console', 'openapi/page', 'openapi/samples', 'shared', 'cli/build', 'cli/parts']
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  const write = (path: string, text: string) => {
    writeFileSync(join(root, path), text)
    // As if long ago: what is written twice within a tick of the clock would bear the same time.
    utimesSync(join(root, path), 1_700_000_000, 1_700_000_000)
  }
  write('openapi/samples/go.ts', 'one')
  write('package-lock.json', '{}')
  return { root, write }
}

test('a source that is added, changed, touched, renamed or taken away makes another fingerprint, and so does a package', () => {
  const { root, write } = makeProject()
  const seen = new Set([fingerprintOf(root)])
  const expectAnother = () => {
    const now = fingerprintOf(root)
    expect(seen).not.toContain(now)
    expect(fingerprintOf(root)).toBe(now)
    seen.add(now)
  }
  write('shared/faults.ts', 'one')
  expectAnother()
  write('shared/faults.ts', 'longer')
  expectAnother()
  utimesSync(join(root, 'shared/faults.ts'), 1_700_000_001, 1_700_000_001)
  expectAnother()
  renameSync(join(root, 'shared/faults.ts'), join(root, 'shared/codes.ts'))
  expectAnother()
  for (const path of [
    'console/style.css',
    'client/client.ts',
    'openapi/page/page.ts',
    'cli/build/console.ts',
  ]) {
    write(path, 'one')
    expectAnother()
  }
  rmSync(join(root, 'console/style.css'))
  expectAnother()
  mkdirSync(join(root, 'node_modules'))
  write('node_modules/.package-lock.json', '{}')
  expectAnother()
})

test('what is no source of a page makes none', () => {
  const { root, write } = makeProject()
  const before = fingerprintOf(root)
  write('cli/start.ts', 'one')
  write('cli/parts/edge.ts', 'one')
  expect(fingerprintOf(root)).toBe(before)
})

test('pages bear the mark of their sources, and a file without it, or none, does not', async () => {
  await buildPages()
  for (const file of Object.values(pages)) {
    expect(hasMark(file, `// ${fingerprintOf(projectRoot)}`)).toBe(true)
    expect(hasMark(file, '// another')).toBe(false)
  }
  expect(hasMark(join(tmpdir(), crypto.randomUUID()), '// none')).toBe(false)
})
