// Versions of Node and npm side by side, and places where only one of them is found, beside the programs of the system.

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const quietly = ['--prefer-offline', '--no-audit', '--no-fund']

export interface NodeVersion {
  node: string
  npm: string
}

/** What npm needs to find packages; nothing of the run that this belongs to. */
const INHERITED =
  /^(HOME|LANG|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|userconfig))$/i
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)))

/** Into the folder, from which `placeMachine` takes them. */
export async function installVersions(folder: string, versions: NodeVersion[]): Promise<void> {
  const packages = versions.flatMap(({ node, npm }) => [
    `node-${node}@npm:node-linux-${process.arch}@${node}`,
    `npm-${npm}@npm:npm@${npm}`,
  ])
  await run('npm', ['install', ...quietly, ...new Set(packages)], { cwd: folder })
}

/** `place` is to be removed; `cwd` in it is empty. */
export function placeMachine(folder: string, { node, npm }: NodeVersion) {
  const installed = join(folder, 'node_modules')
  const place = mkdtempSync(join(folder, 'machine-'))
  const [bin, cwd] = [join(place, 'bin'), join(place, 'empty')]
  mkdirSync(bin)
  mkdirSync(cwd)
  const program = join(installed, `node-${node}`, 'bin', 'node')
  symlinkSync(program, join(bin, 'node'))
  for (const [name, file] of [
    ['npm', 'npm-cli.js'],
    ['npx', 'npx-cli.js'],
  ] as const) {
    const command = `exec ${program} ${join(installed, `npm-${npm}`, 'bin', file)} "$@"`
    writeFileSync(join(bin, name), `#!/bin/sh\n${command}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return { place, cwd, env: { ...outside, PATH: `${bin}:/usr/bin:/bin` } as NodeJS.ProcessEnv }
}
