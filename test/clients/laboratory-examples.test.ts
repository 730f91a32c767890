// The examples of tests in four languages: each is copied into a folder as a reader copies it, and runs on one laboratory, that of `MSGNET_LAB`.
// @module-tag slow

import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { buildTestingPackage } from '@msgnet/cli/build/testing-package.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lab, startLab } from '../../clients/testing/start-lab.ts'
import { canRun } from '../optional-programs.ts'
import { recordStart } from '../started-gateways.ts'
import { clients, createEnvironment, findMissing, languages } from './languages.ts'

const examples = join(clients, 'testing', 'examples')
const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
const folder = mkdtempSync(join(tmpdir(), 'laboratory-examples-'))
const patient = 300_000

let lab: Lab
beforeAll(async () => {
  recordStart('test/clients/laboratory-examples.test.ts')
  const command = ['sh', join(projectRoot, 'cli', 'node'), join(projectRoot, 'cli', 'lab.ts')]
  lab = await startLab({ command, cwd: projectRoot })
}, patient)
afterAll(async () => {
  await lab?.close()
  rmSync(folder, { recursive: true, force: true })
})

const copyExample = (name: string): string => {
  const place = mkdtempSync(join(folder, `${name}-`))
  cpSync(join(examples, name), place, { recursive: true })
  return place
}

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const env = createEnvironment({ MSGNET_LAB: lab.url, NO_COLOR: '1' })
  try {
    return (await promisify(execFile)(command, args, { cwd, env })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${stdout}\n${stderr}`, { cause: error })
  }
}

const findLanguage = (name: string) => languages.find(({ language }) => language === name)
const explainAbsence = (name: string) => {
  const found = findLanguage(name)
  return found && findMissing(found)
}

/** What `npm install` would bring: the packages as they are built, and Vitest. */
async function installPackages(place: string): Promise<void> {
  const modules = join(place, 'node_modules')
  await buildTestingPackage(join(modules, '@msgnet', 'testing'))
  const args = ['run', 'build:client', '--', '--to', join(modules, 'msgnet-gateway-client')]
  execFileSync('npm', args, { cwd: projectRoot, stdio: 'pipe' })
  mkdirSync(join(modules, '@types'))
  for (const name of ['vitest', '@types/node'])
    symlinkSync(join(projectRoot, 'node_modules', name), join(modules, name))
}

test(
  'the example for Vitest has right types and passes, with the packages as they are built',
  async () => {
    const place = copyExample('vitest')
    await installPackages(place)
    const types = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
    const programs = readdirSync(place).filter((name) => name.endsWith('.ts'))
    await run(place, process.execPath, compiler, ...types, '--allowImportingTsExtensions', ...programs)
    const vitest = join(place, 'node_modules', 'vitest', 'vitest.mjs')
    expect(await run(place, process.execPath, vitest, 'run')).toMatch(/Tests\s+3 passed/)
  },
  patient,
)

test(
  'the example for pytest passes',
  async ({ skip }) => {
    const missing = explainAbsence('python')
    if (missing) skip(missing)
    if (!canRun('python3', ['-m', 'pytest', '--version'])) skip('pytest is not on this machine')
    const place = copyExample('pytest')
    expect(await run(place, 'python3', '-m', 'pytest', '-p', 'no:cacheprovider')).toContain('3 passed')
  },
  patient,
)

test(
  'the example for PHPUnit passes, with a stand-in for it where the machine has none',
  async ({ skip }) => {
    const missing = explainAbsence('php')
    if (missing) skip(missing)
    const place = copyExample('phpunit')
    mkdirSync(join(place, 'vendor'))
    cpSync(join(clients, 'php', 'autoload.php'), join(place, 'vendor', 'autoload.php'))
    symlinkSync(join(clients, 'php', 'src'), join(place, 'vendor', 'src'))
    const command = canRun('phpunit', ['--version'])
      ? ['phpunit', '--do-not-cache-result']
      : ['php', join(import.meta.dirname, 'phpunit.php')]
    const [program = '', ...args] = command
    expect(await run(place, program, ...args, 'BotTest.php')).toContain('OK (3 tests')
  },
  patient,
)

test(
  'the example for Go passes, and is formatted and vetted',
  async ({ skip }) => {
    const missing = explainAbsence('go')
    if (missing) skip(missing)
    const place = copyExample('go')
    for (const step of findLanguage('go')?.prepare ?? []) await run(place, 'go', ...step)
    expect(await run(place, 'gofmt', '-l', '.')).toBe('')
    expect(await run(place, 'go', 'test', '-count=1', './...')).toMatch(/^ok/m)
  },
  patient,
)

test('the examples in TypeScript name the versions that are built here', () => {
  const readManifest = (...path: string[]) =>
    JSON.parse(readFileSync(join(projectRoot, ...path, 'package.json'), 'utf8'))
  const { version, devDependencies } = readManifest()
  const example = readManifest('clients', 'testing', 'examples', 'vitest')
  expect({ ...example.dependencies, ...example.devDependencies }).toEqual({
    'msgnet-gateway-client': version,
    '@msgnet/testing': version,
    vitest: devDependencies.vitest,
  })
  const { dependencies } = readManifest('clients', 'testing', 'examples', 'inbox')
  expect(dependencies).toEqual({ 'msgnet-gateway-client': version })
})
