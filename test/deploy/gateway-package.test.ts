// `npx msgnet-gateway`: the package is made, installed from its file in an empty folder on machines as people have them, started, used and stopped.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { quietly } from './installed-nodes.ts'
import { isAlive, isOnLinux, patient, prepareMachines } from './npm-machines.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'))
let tarballs: string[] = []

const runNpm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: projectRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

beforeAll(() => {
  const built = join(folder, 'built')
  const testing = join(folder, 'testing')
  runNpm('run', 'build:package', '--', '--to', built, '--testing', testing)
  const packed: { filename: string }[] = JSON.parse(
    runNpm('pack', built, testing, '--json', '--pack-destination', folder),
  )
  tarballs = packed.map(({ filename }) => join(folder, filename))
}, patient)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A test of somebody's own, with `@msgnet/testing`. */
const STORY = `import { startLab } from '@msgnet/testing'
const lab = await startLab()
const shop = await lab.createInstance()
const { story } = await lab.play('a replaced session', shop)
const { received } = await lab.received()
console.log(story + ': ' + received.at(-1).envelope.instance.lastDisconnectReason)
await lab.close()
`

/** Each Node with the npm that comes with it. */
const machines: [node: string, npm: string][] = [
  ['20.19.2', '10.8.2'],
  ['22.20.0', '10.9.9'],
  ['24.21.0', '11.6.1'],
]
const createMachine = prepareMachines(machines.map(([node, npm]) => ({ node, npm })))

test.skipIf(!isOnLinux).each(machines)(
  'under Node %s npm %s installs the package, whose gateway sends a first message and stops on a signal',
  async (node, npm) => {
    const { cwd, runProgram, startGateway } = await createMachine(node, npm)
    await runProgram('npm', 'install', ...quietly, ...tarballs)
    const { child, readOutput } = await startGateway('npx', 'msgnet-gateway', '--port', '0')
    expect(readOutput()).toContain('  Admin token  msgnet-data/admin-token\n')
    expect(readOutput()).toMatch(/now try: .*npx msgnet-gateway demo/)
    const { pid = 0, parts = {} } = readRun(join(cwd, 'msgnet-data')) ?? {}
    expect(Object.keys(parts)).toHaveLength(3)
    const story = await runProgram('env', 'DATA_DIR=msgnet-data', 'npx', 'msgnet-gateway', 'demo')
    expect(story).toContain('signature verified')
    child.kill('SIGTERM')
    await until(() => ![pid, ...Object.values(parts)].some(isAlive), { within: 60_000 })

    writeFileSync(join(cwd, 'test.mjs'), STORY)
    expect(await runProgram('node', 'test.mjs')).toBe('a replaced session: replaced')

    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
    expect(await runProgram('npx', 'msgnet-gateway', '--version')).toBe(version)
    expect(await runProgram('npx', 'msgnet-gateway', '--help')).toContain('npx msgnet-gateway [options]')
    for (const [args, sentence] of [
      [['--prot', '1'], "Unknown option '--prot'"],
      [['backup'], 'backup is no command of msgnet-gateway'],
      [['--port', 'x'], 'PORT'],
      [['--watch'], '--watch needs the sources'],
    ] as const)
      await expect(runProgram('npx', 'msgnet-gateway', ...args)).rejects.toThrow(sentence)
  },
  2 * patient,
)

test('the package has no code of others but what its list of licences names, and no TypeScript', () => {
  const built = join(folder, 'built')
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' })
  expect(files.filter((file) => file.endsWith('.ts') || file.includes('node_modules'))).toEqual([])
  const maps = files.filter((file) => file.endsWith('.js.map'))
  expect(maps.length).toBeGreaterThan(10)
  const sources = maps.flatMap(
    (file) => JSON.parse(readFileSync(join(built, file), 'utf8')).sources as string[],
  )
  expect(sources.filter((source) => source.includes('node_modules'))).toEqual([])
  const licences = readFileSync(join(built, 'LICENSES-OF-PAGES'), 'utf8')
  expect([...licences.matchAll(/^(\S+) \d\S* \(/gm)].map(([, name]) => name)).toEqual(['preact'])
  for (const name of ['LICENSE', 'NOTICE', 'README.md']) expect(existsSync(join(built, name))).toBe(true)
})

test('the package names exact versions, libsignal among its dependencies', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, 'built', 'package.json'), 'utf8'),
  )
  expect(dependencies).toHaveProperty('libsignal')
  expect(dependencies).not.toHaveProperty('esbuild')
  const versions: string[] = Object.values({ ...dependencies, ...optionalDependencies })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})
