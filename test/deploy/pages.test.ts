// The pages of the edge are built again when one of their sources has changed, and only then.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPages, computeFingerprint, pagesMark } from '@msgnet/cli/build/page-files.ts'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, onTestFinished, test } from 'vitest'

function createProject(): { root: string; writePage(path: string, text: string): void } {
  const root = mkdtempSync(join(tmpdir(), 'sources-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folders = [
    'clients/typescript',
    'console',
    'docs/use',
    'edge/routes',
    'edge/uazapi',
    'openapi/page',
    'openapi/samples',
    'shared',
    'cli/build',
    'cli/parts',
  ]
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  const writePage = (path: string, text: string) => {
    writeFileSync(join(root, path), text)
    // As if long ago: two writes within one tick of the clock would have the same time.
    utimesSync(join(root, path), 1_700_000_000, 1_700_000_000)
  }
  writePage('openapi/samples/go.ts', 'one')
  writePage('package-lock.json', '{}')
  return { root, writePage }
}

test('a source that is added, changed, touched, renamed or deleted changes the fingerprint, and so does a package', () => {
  const { root, writePage } = createProject()
  const seen = new Set([computeFingerprint(root)])
  const expectAnother = () => {
    const now = computeFingerprint(root)
    expect(seen).not.toContain(now)
    expect(computeFingerprint(root)).toBe(now)
    seen.add(now)
  }
  writePage('shared/fault-table.ts', 'one')
  expectAnother()
  writePage('shared/fault-table.ts', 'longer')
  expectAnother()
  utimesSync(join(root, 'shared/fault-table.ts'), 1_700_000_001, 1_700_000_001)
  expectAnother()
  renameSync(join(root, 'shared/fault-table.ts'), join(root, 'shared/codes.ts'))
  expectAnother()
  for (const path of [
    'console/style.css',
    'clients/typescript/client.ts',
    'openapi/page/documentation-page.ts',
    'cli/build/bundle-console.ts',
    'docs/use/webhooks.md',
    'edge/uazapi/uazapi-document.ts',
    'README.md',
  ]) {
    writePage(path, 'one')
    expectAnother()
  }
  rmSync(join(root, 'console/style.css'))
  expectAnother()
  mkdirSync(join(root, 'node_modules'))
  writePage('node_modules/.package-lock.json', '{}')
  expectAnother()
})

test('a file that is no source of a page does not change the fingerprint', () => {
  const { root, writePage } = createProject()
  const before = computeFingerprint(root)
  writePage('cli/start.ts', 'one')
  writePage('cli/parts/edge-part.ts', 'one')
  writePage('edge/routes/text-routes.ts', 'one')
  expect(computeFingerprint(root)).toBe(before)
})

test('the pages are marked with the sources that they were built from', async () => {
  await buildPages()
  expect(readFileSync(pagesMark, 'utf8')).toBe(computeFingerprint(projectRoot))
})
