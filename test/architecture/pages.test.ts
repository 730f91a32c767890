// The pages are true: what they name exists, and every dependency, variable and decision has its line.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { routes } from '@msgnet/shared/api/api.ts'
import { expect, test } from 'vitest'
import { packageFolders, readPages, readSources, root } from './sources.ts'

const readPage = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(readPage('package.json'))
const dependencies: Record<string, string> = {
  ...JSON.parse(readPage('clients/n8n-nodes-msgnet/package.json')).devDependencies,
  ...JSON.parse(readPage('site/package.json')).devDependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
  ...Object.assign(
    {},
    ...[...packageFolders.values()].map(
      (folder) => JSON.parse(readPage(`${folder}/package.json`)).dependencies,
    ),
  ),
}
const isOwn = (name: string) => packageFolders.has(name)

test('every dependency is exact, and docs/code/dependencies.md says why it is there', () => {
  const loose = Object.entries(dependencies).filter(([, version]) => !/^(npm:[\w-]+@)?\d/.test(version))
  expect(loose).toEqual([])
  const page = readPage('docs/code/dependencies.md')
  expect(Object.keys(dependencies).filter((name) => !isOwn(name) && !page.includes(`\`${name}\``))).toEqual(
    [],
  )
})

test('no package in the lock file asks for a version of Node: `npm run lock` takes that out', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { engines?: unknown }>
  }
  const demanding = Object.entries(packages).filter(([path, { engines }]) => path !== '' && engines)
  expect(demanding.map(([path]) => path)).toEqual([])
})

test('every option that a page gives to a command is one that the command reads', () => {
  const given = readPages().flatMap(({ path, text }) =>
    [...text.matchAll(/npm run (?:-s )?([\w:-]+) -- (--[^`\n]+)/g)].flatMap(
      ([, command = '', options = '']) =>
        [...options.matchAll(/--([\w-]+)/g)].map(([, option = '']) => ({ path, command, option })),
    ),
  )
  // Its row in the table of commands names the others without the command.
  const [bench = ''] = readPage('docs/run/commands.md').match(/^\| `npm run bench`.*$/m) ?? []
  for (const [, option = ''] of bench.matchAll(/--([a-z]\w+)/g))
    given.push({ path: 'docs/run/commands.md', command: 'bench', option })
  expect(given.length).toBeGreaterThan(50)
  const sources = readSources()
  const isRead = ({ command, option }: (typeof given)[number]) => {
    const [program = ''] = manifest.scripts[command]?.match(/[\w/.-]+\.ts$|drizzle-kit|wrangler/) ?? []
    if (!program.endsWith('.ts')) return program !== ''
    return sources
      .filter(({ path }) => dirname(path).startsWith(dirname(program)))
      .some(({ text }) => new RegExp(`\\b'?${option}'?: |'--${option}'`).test(text))
  }
  expect(given.filter((option) => !isRead(option))).toEqual([])
})

// The tables of tests name them from `test/` on.
const PATH =
  /`((?!console\/[\w-]+\.test\.ts)(?:bridges|console|clients|openapi|edge|session-host|shared|cli|simulator|migrations|test|docs|deploy)\/[\w./-]*)`/g
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

const readTitle = (text: string) => /^# (.+)$/m.exec(text)?.[1]

test('every decision is in the list of the decisions, by its title', () => {
  const list = readPage('docs/decisions/README.md')
  const decisions = readPages().filter(({ path }) => /^docs\/decisions\/\d/.test(path))
  expect(decisions.length).toBeGreaterThan(30)
  const missing = decisions.filter(
    ({ path, text }) => !list.includes(`[${readTitle(text)}](${basename(path)})`),
  )
  expect(missing.map(({ path }) => path)).toEqual([])
})

test('every variable that a setting reads is on the page of the environment, and none that nothing reads', () => {
  const read = ['cli/settings/gateway-settings.ts', 'session-host/config.ts'].flatMap((path) =>
    [...readPage(path).matchAll(/^ {2}([A-Z][A-Z_]+)(?=:)/gm)].map(([, name = '']) => name),
  )
  const page = readPage('docs/run/environment.md')
  const rows = page.split('\n').map((line) => /^\| (.+?) \|/.exec(line)?.[1] ?? '')
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name))
  // The point at which a test has a process end itself.
  const known = [...listed, 'CRASH_AT']
  expect(read.length).toBeGreaterThan(40)
  expect(read.filter((name) => !known.includes(name) && !page.includes(`\`${name}\``))).toEqual([])
  expect(listed.filter((name) => !read.includes(name))).toEqual([])
})

test('the README fits on two screens', () => {
  expect(readPage('README.md').split('\n').length).toBeLessThanOrEqual(110)
})

test('every route that the page on migrating names is declared', () => {
  const text = readPages().find(({ path }) => path === 'docs/use/migrating.md')?.text ?? ''
  const cells = text.split('\n').map((line) => line.split('|')[2] ?? '')
  const named = cells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, route = '']) => route),
  )
  const declared = Object.values(routes).map(({ method, path }) => `${method} ${path}`)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((route) => !declared.includes(route))).toEqual([])
})
