// The GitHub action for the tests of callers, as far as that goes without a runner: its step in bash, with stand-ins for npm and the package.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, onTestFinished, test } from 'vitest'

const { parse } = createRequire(import.meta.url)('yaml')
const readText = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
const { version } = JSON.parse(readText('package.json'))
const action = parse(readText('clients/testing/action.yml'))
const [step] = action.runs.steps

const READY = 'laboratory ready at http://127.0.0.1:8786/lab in 1.0 s'

/** A folder for a runner, with an npm that installs a laboratory of these lines of sh. */
function createRunner(laboratory: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'action-'))
  const program = join(folder, 'laboratory')
  const lines = ['#!/bin/sh', `echo "$*" > ${folder}/given`, `echo $$ > ${folder}/pid`, ...laboratory]
  writeFileSync(program, `${lines.join('\n')}\n`, { mode: 0o755 })
  mkdirSync(join(folder, 'bin'))
  const npm = [
    '#!/bin/sh',
    `echo "$*" > ${folder}/installed`,
    'mkdir -p "$3/node_modules/.bin"',
    `cp ${program} "$3/node_modules/.bin/msgnet-gateway"`,
  ]
  writeFileSync(join(folder, 'bin', 'npm'), `${npm.join('\n')}\n`, { mode: 0o755 })
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim() : ''
  onTestFinished(() => {
    if (laboratory.at(-1)?.startsWith('exec sleep')) process.kill(Number(read('pid')), 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const run = (inputs: Record<string, string>) => {
    const preset = Object.entries(step.env as Record<string, string>).map(([name, value]) => {
      const [, input = ''] = /inputs\.(\w+)/.exec(value) ?? []
      return [name, inputs[input] ?? action.inputs[input].default]
    })
    const env = {
      ...Object.fromEntries(preset),
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_ENV: join(folder, 'variables'),
    }
    // As a runner starts `shell: bash`.
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run]
    return execFileSync('bash', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  return { run, read }
}

test('the step installs the package, starts its laboratory, and names it to the steps that follow', () => {
  const { run, read } = createRunner(['sleep 0.3', `echo '${READY}'`, 'exec sleep 600'])
  run({ port: '0', allow: '127.0.0.1:3000 127.0.0.1:3001' })
  expect(read('installed')).toMatch(new RegExp(`^install --prefix .+ msgnet-gateway@${version}$`))
  expect(read('given')).toBe('lab --port 0 --allow 127.0.0.1:3000 --allow 127.0.0.1:3001')
  expect(read('output')).toBe('url=http://127.0.0.1:8786/lab')
  expect(read('variables')).toBe('MSGNET_LAB=http://127.0.0.1:8786/lab')
})

test('a laboratory that does not start fails the step, with what it printed', () => {
  const { run, read } = createRunner(['echo "Port 8786 is in use."', 'exit 1'])
  const fail = () => {
    try {
      return run({})
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }
  expect(fail()).toBe('Port 8786 is in use.\n')
  expect(read('variables')).toBe('')
})

test('the step gives the package the command, the options and the line that it has', () => {
  expect(readText('cli/msgnet-gateway')).toMatch(/^ {2}demo \| lab\)$/m)
  const lab = readText('cli/lab.ts')
  const given = [...(step.run as string).matchAll(/--(port|allow)\b/g)].map(([, name]) => name)
  expect(new Set(given)).toEqual(new Set(['port', 'allow']))
  for (const option of new Set(given)) expect(lab).toMatch(new RegExp(`^ {6}${option}: \\{ type`, 'm'))
  expect(lab).toContain('`laboratory ready at ${' + 'server.url}/lab in ')
  expect(action.inputs.package.default).toBe(`msgnet-gateway@${version}`)
})

test('the sample of the page gives the action inputs that it has, at the version of this project', () => {
  const [, sample = ''] = /^```yaml\n([\s\S]+?)^```$/m.exec(readText('docs/use/testing.md')) ?? []
  const steps: { uses?: string; with?: object }[] = parse(sample).jobs.test.steps
  const own = steps.find(({ uses }) => uses?.includes('/clients/testing@'))
  expect(own?.uses).toBe(`OWNER/msgnet-gateway/clients/testing@v${version}`)
  expect(Object.keys(own?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([])
  const [checkout] = /uses: actions\/checkout@\S+ # \S+/.exec(readText('.github/workflows/ci.yml')) ?? []
  expect(sample).toContain(checkout)
})
