// The packages: which may import which, that Biome refuses the rest, and that each says what it is.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageFolders, root } from './sources.ts'

/** What each may import of the others. */
const allowed: Record<string, string[]> = {
  shared: [],
  simulator: [],
  edge: ['shared'],
  'session-host': ['shared'],
  client: ['shared'],
  openapi: ['shared'],
  console: ['client', 'shared'],
  bridges: ['client', 'shared'],
  cli: ['client', 'edge', 'openapi', 'shared', 'simulator'],
}
/** Packages of others that some of ours must not have. */
const restricted: Record<string, string[]> = {
  baileys: ['session-host', 'simulator'],
  libsignal: ['session-host', 'simulator'],
  sharp: ['session-host', 'simulator'],
  esbuild: ['cli'],
  wrangler: ['cli'],
}

interface Manifest {
  private: boolean
  version: string
  dependencies: Record<string, string>
}

const readText = (path: string) => readFileSync(join(root, path), 'utf8')
const readManifest = (folder: string): Manifest => JSON.parse(readText(`${folder}/package.json`))
const names = Object.keys(allowed)
const findFolder = (name: string) => packageFolders.get(`@msgnet/${name}`) ?? ''
const listImports = (name: string) =>
  Object.keys(readManifest(findFolder(name)).dependencies)
    .filter((dependency) => packageFolders.has(dependency))
    .map((dependency) => dependency.replace('@msgnet/', ''))

test('each package depends on those of ours that it may import', () => {
  expect([...packageFolders.keys()].sort()).toEqual(names.map((name) => `@msgnet/${name}`).sort())
  expect(Object.fromEntries(names.map((name) => [name, listImports(name)]))).toEqual(allowed)
})

test('the library of the network, its encryption and the tools that build are dependencies of those that need them only', () => {
  const holders = Object.keys(restricted).map((dependency) => [
    dependency,
    names.filter((name) => dependency in readManifest(findFolder(name)).dependencies).sort(),
  ])
  expect(Object.fromEntries(holders)).toEqual(restricted)
})

test('packages have one version, one version of each dependency, a page and a configuration of types', () => {
  const { version } = JSON.parse(readText('package.json'))
  const versions = new Map<string, Set<string>>()
  for (const name of names) {
    const manifest = readManifest(findFolder(name))
    expect(manifest).toMatchObject({ version, private: true })
    for (const [dependency, exact] of Object.entries(manifest.dependencies))
      versions.set(dependency, (versions.get(dependency) ?? new Set()).add(exact))
    expect(existsSync(join(root, findFolder(name), 'README.md')), `README of ${name}`).toBe(true)
    expect(existsSync(join(root, findFolder(name), 'tsconfig.json')), `types of ${name}`).toBe(true)
  }
  expect([...versions].filter(([, several]) => several.size > 1)).toEqual([])
})

test('every import of a package that is not a dependency is refused by the linter, one by one', () => {
  const place = mkdtempSync(join(tmpdir(), 'packages-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const { linter } = JSON.parse(readText('biome.json'))
  const rule = linter.rules.correctness.noUndeclaredDependencies
  const only = { linter: { rules: { preset: 'none', correctness: { noUndeclaredDependencies: rule } } } }
  writeFileSync(join(place, 'biome.json'), JSON.stringify(only))
  const targets = [...names.map((name) => `@msgnet/${name}`), ...Object.keys(restricted)]
  for (const name of names) {
    mkdirSync(join(place, name))
    cpSync(join(root, findFolder(name), 'package.json'), join(place, name, 'package.json'))
    for (const [at, target] of targets.entries())
      writeFileSync(join(place, name, `${at}.ts`), `import '${target}/file.ts'\n`)
  }
  const forbidden = names.flatMap((name) =>
    targets
      .map((target, at) => ({ target: target.replace('@msgnet/', ''), path: `${name}/${at}.ts` }))
      .filter(({ target }) => target !== name && !(allowed[name] ?? []).includes(target))
      .filter(({ target }) => !(restricted[target] ?? []).includes(name))
      .map(({ path }) => path),
  )
  expect(forbidden.length).toBeGreaterThan(80)
  expect(listRefused(place)).toEqual(forbidden.sort())
})

/** Paths of the files that Biome complains of. */
function listRefused(place: string): string[] {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.']
  const run = () => execFileSync(process.execPath, [biome, ...args], { cwd: place, stdio: 'pipe' })
  let printed = ''
  try {
    printed = String(run())
  } catch (error) {
    printed = String((error as { stdout: Buffer }).stdout)
  }
  const { diagnostics } = JSON.parse(printed) as { diagnostics: { location: { path: unknown } }[] }
  return diagnostics
    .map(({ location }) => JSON.stringify(location.path).replaceAll(/^.*?([\w-]+\/\d+\.ts).*$/g, '$1'))
    .sort()
}
