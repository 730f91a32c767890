// The package `msgnet-gateway`: the whole gateway as JavaScript with its pages and tables. What is not ours it names as dependencies.

import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleConsole } from './bundle-console.ts'
import { bundlePrograms } from './bundle-programs.ts'
import { buildPages, declareFinal, pages, pagesMark } from './page-files.ts'
import { projectRoot } from './root.ts'

interface Manifest {
  version: string
  description: string
  license: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

/** Those that a program of the package is made of. */
const PARTS = ['cli', 'edge', 'session-host', 'shared', 'simulator']
/** Of the commands only some are in the package, and what they import decides; the rest may also resolve a package by its name. */
const WHOLE_PARTS = PARTS.filter((part) => part !== 'cli')

/** `to`: a folder that is replaced. */
export async function buildGatewayPackage(to: string): Promise<void> {
  await buildPages()
  rmSync(to, { recursive: true, force: true })
  const built = join(to, '.build')
  const imported = await bundlePrograms(join(built, 'programs'))
  cpSync(pages, join(built, 'pages'), { recursive: true })
  cpSync(pagesMark, join(built, 'pages.mark'))
  declareFinal(built)
  cpSync(join(projectRoot, 'migrations'), join(to, 'migrations'), { recursive: true })
  mkdirSync(join(to, 'cli'))
  for (const name of ['node', 'msgnet-gateway']) {
    cpSync(join(projectRoot, 'cli', name), join(to, 'cli', name))
    chmodSync(join(to, 'cli', name), 0o755)
  }
  for (const name of ['LICENSE', 'NOTICE']) cpSync(join(projectRoot, name), join(to, name))
  cpSync(join(projectRoot, 'docs', 'run', 'npx.md'), join(to, 'README.md'))
  const { packages } = await bundleConsole()
  writeFileSync(join(to, 'LICENSES-OF-PAGES'), packages.map(readLicence).join('\n'))
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(describePackage(imported), undefined, 2)}\n`)
}

const readManifest = (...path: string[]): Manifest =>
  JSON.parse(readFileSync(join(projectRoot, ...path, 'package.json'), 'utf8'))

function describePackage(imported: string[]) {
  const { version, description, optionalDependencies } = readManifest()
  const declared = Object.assign({}, ...PARTS.map((part) => readManifest(part).dependencies))
  const names = new Set([
    ...imported,
    ...WHOLE_PARTS.flatMap((part) => Object.keys(readManifest(part).dependencies)),
  ])
  const dependencies = [...names].filter((name) => !name.startsWith('@msgnet/')).sort()
  return {
    name: 'msgnet-gateway',
    version,
    description,
    license: readManifest('cli').license,
    type: 'module',
    bin: { 'msgnet-gateway': 'cli/msgnet-gateway' },
    engines: { node: '>=18' },
    os: ['linux', 'darwin'],
    files: ['.build', 'cli', 'migrations', 'LICENSES-OF-PAGES', 'NOTICE'],
    dependencies: Object.fromEntries(dependencies.map((name) => [name, declared[name]])),
    optionalDependencies,
  }
}

/** With the words that its licence asks to be given along, because its code is in the pages. */
function readLicence(name: string): string {
  const folder = join(projectRoot, 'node_modules', name)
  const { version, license } = readManifest('node_modules', name)
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each)) ?? 'package.json'
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8')}`
}
