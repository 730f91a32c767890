// As much of systemctl as the pages use: starts and stops what the very unit files say, with the environment that they say.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseEnv } from 'node:util'

const { MACHINE_UNITS: folder = '', MACHINE_CHANGES = '[]' } = process.env
const changes: [string, string][] = JSON.parse(MACHINE_CHANGES)
const here = (text: string) => changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text)

const pidFile = (unit: string) => join(folder, `${unit}.pid`)
const isTimer = (unit: string) => unit.endsWith('.timer')
const unitFile = (unit: string) => join(here('/etc/systemd/system'), isTimer(unit) ? unit : `${unit}.service`)

function environmentOf(lines: [string, string][]): Record<string, string> {
  const env: Record<string, string> = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  for (const [name, value] of lines) {
    if (name === 'Environment') Object.assign(env, parseEnv(value))
    if (name !== 'EnvironmentFile') continue
    const path = value.replace(/^-/, '')
    if (!value.startsWith('-') || existsSync(path)) Object.assign(env, parseEnv(readFileSync(path, 'utf8')))
  }
  return env
}

function start(unit: string): void {
  const text = here(readFileSync(unitFile(unit), 'utf8'))
  const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ])
  const setting = (wanted: string) => lines.find(([name]) => name === wanted)?.[1] ?? ''
  const state = setting('StateDirectory')
  if (state) mkdirSync(here(`/var/lib/${state}`), { recursive: true, mode: 0o700 })
  const log = openSync(join(folder, `${unit}.log`), 'a')
  const words = ['-c', `exec ${setting('ExecStart')}`]
  const options = { cwd: setting('WorkingDirectory') || '/', env: environmentOf(lines) }
  if (setting('Type') === 'oneshot') {
    const { status } = spawnSync('/bin/sh', words, { ...options, stdio: ['ignore', log, log] })
    if (status !== 0) throw new Error(`${unit} has failed: ${status}`)
    return
  }
  const child = spawn('/bin/sh', words, { ...options, detached: true, stdio: ['ignore', log, log] })
  child.unref()
  writeFileSync(pidFile(unit), String(child.pid))
}

const runs = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

async function stop(unit: string): Promise<void> {
  if (!existsSync(pidFile(unit))) return
  const pid = Number(readFileSync(pidFile(unit), 'utf8'))
  if (runs(pid)) process.kill(pid, 'SIGTERM')
  while (runs(pid)) await wait(20)
  rmSync(pidFile(unit))
}

const [verb = '', ...rest] = process.argv.slice(2)
// Caddy comes with its own unit, and is passed by.
const named = rest.filter((word) => !word.startsWith('-') && word !== 'caddy')
for (const unit of named) {
  if (!existsSync(unitFile(unit))) throw new Error(`there is no unit ${unit}`)
  // What a timer starts is started by the page too.
  if (isTimer(unit)) continue
  const isDisabledNow = verb === 'disable' && rest.includes('--now')
  if (verb === 'stop' || verb === 'restart' || isDisabledNow) await stop(unit)
  if (verb === 'start' || verb === 'enable' || verb === 'restart') start(unit)
}
