// As much of systemctl as the pages use: starts and stops the commands of the unit files, with their environment.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseEnv } from 'node:util'

const { MACHINE_UNITS: folder = '', MACHINE_CHANGES = '[]' } = process.env
const changes: [string, string][] = JSON.parse(MACHINE_CHANGES)
const replacePaths = (text: string) =>
  changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text)

const findPidFile = (unit: string) => join(folder, `${unit}.pid`)
const isTimer = (unit: string) => unit.endsWith('.timer')
const findUnitFile = (unit: string) =>
  join(replacePaths('/etc/systemd/system'), isTimer(unit) ? unit : `${unit}.service`)

function readEnvironment(lines: [string, string][]): Record<string, string> {
  const env: Record<string, string> = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  for (const [name, value] of lines) {
    if (name === 'Environment') Object.assign(env, parseEnv(value))
    if (name !== 'EnvironmentFile') continue
    const path = value.replace(/^-/, '')
    if (!value.startsWith('-') || existsSync(path)) Object.assign(env, parseEnv(readFileSync(path, 'utf8')))
  }
  return env
}

function startUnit(unit: string): void {
  const text = replacePaths(readFileSync(findUnitFile(unit), 'utf8'))
  const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ])
  const findSetting = (setting: string) => lines.find(([name]) => name === setting)?.[1] ?? ''
  const state = findSetting('StateDirectory')
  if (state) mkdirSync(replacePaths(`/var/lib/${state}`), { recursive: true, mode: 0o700 })
  const log = openSync(join(folder, `${unit}.log`), 'a')
  const words = ['-c', `exec ${findSetting('ExecStart')}`]
  const options = { cwd: findSetting('WorkingDirectory') || '/', env: readEnvironment(lines) }
  if (findSetting('Type') === 'oneshot') {
    const { status } = spawnSync('/bin/sh', words, { ...options, stdio: ['ignore', log, log] })
    if (status !== 0) throw new Error(`${unit} has failed: ${status}`)
    return
  }
  const child = spawn('/bin/sh', words, { ...options, detached: true, stdio: ['ignore', log, log] })
  child.unref()
  writeFileSync(findPidFile(unit), String(child.pid))
}

const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

const isStarted = (unit: string) =>
  existsSync(findPidFile(unit)) && isRunning(Number(readFileSync(findPidFile(unit), 'utf8')))

async function stopUnit(unit: string): Promise<void> {
  if (!existsSync(findPidFile(unit))) return
  const pid = Number(readFileSync(findPidFile(unit), 'utf8'))
  if (isRunning(pid)) process.kill(pid, 'SIGTERM')
  while (isRunning(pid)) await wait(20)
  rmSync(findPidFile(unit))
}

const [verb = '', ...rest] = process.argv.slice(2)
// Caddy comes with its own unit, and is passed by.
const named = rest.filter((word) => !word.startsWith('-') && word !== 'caddy')
for (const unit of named) {
  if (verb === 'is-active') {
    process.exitCode = isStarted(unit) ? 0 : 3
    continue
  }
  if (!existsSync(findUnitFile(unit))) throw new Error(`there is no unit ${unit}`)
  // What a timer starts is started by the page too.
  if (isTimer(unit)) continue
  const isDisabledNow = verb === 'disable' && rest.includes('--now')
  if (verb === 'stop' || verb === 'restart' || isDisabledNow) await stopUnit(unit)
  const isStart = verb === 'start' || (verb === 'enable' && rest.includes('--now'))
  if (verb === 'restart' || (isStart && !isStarted(unit))) startUnit(unit)
}
