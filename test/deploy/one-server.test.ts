// docs/run/one-server.md, as a new user follows it: every command, one after the other, up to a message and a verified webhook.
// @module-tag slow

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMachine, type Machine } from './machine.ts'

const readPage = (name: string) => readFileSync(join(projectRoot, 'docs', 'run', name), 'utf8')
const readCommands = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter(Boolean)
const [untilLive = '', afterwards = ''] = readPage('one-server.md').split('\n## Daily work')
const commands = readCommands(untilLive)
const readSection = (page: string, title: string) =>
  readCommands(readPage(page).split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '')

let machine: Machine

beforeAll(async () => {
  machine = await createMachine()
})

afterAll(() => machine.close())

test('every command of the page works, up to a message and a verified webhook', async () => {
  expect(commands.length).toBeGreaterThan(30)
  const output = await machine.runCommands(commands)
  expect(output).toContain('{"status":"ready"}')
  expect(output).toContain('Host ')
  expect(output).toContain('"messageid"')
  expect(output.trim().split('\n').at(-1)).toBe('» journalctl -u msgnet-host -f')
  // It has what the live network needs, and waits for the first instance.
  const waiting =
    'until curl --silent http://127.0.0.1:9464/health | grep \'"linked":true\'; do sleep 0.2; done'
  expect(await machine.runCommands([waiting])).toContain('"sessions":0')
  // Another set of keys would open nothing of what is there.
  const keys = machine.readFile('/etc/msgnet/edge.env')
  await expect(
    machine.runCommands(['cd /opt/msgnet', 'npm run setup -- --folder /etc/msgnet --domain other.example']),
  ).rejects.toThrow('nothing was changed')
  expect(machine.readFile('/etc/msgnet/edge.env')).toBe(keys)
}, 300_000)

test('the same server is monitored, backed up, restored, resealed, upgraded and downgraded as the pages describe', async () => {
  const [watch = ''] = afterwards.split('\n## ')
  const make = [
    'API=https://gateway.example',
    "ADMIN=$(sudo sed -n 's/^ADMIN_TOKEN=//p' /etc/msgnet/edge.env)",
    `curl --silent --fail $API/instance/init -H "admintoken: $ADMIN" -H 'content-type: application/json' -H 'Idempotency-Key: before' -d '{"name":"Before the backup"}'`,
  ]
  // Its response is stored sealed: a repetition with its key can open it only with the right seal keys.
  const repeat = make[2] ?? ''
  const look = 'curl --silent --fail $API/instance/all -H "admintoken: $ADMIN"'
  const after = repeat.replace('Before', 'After').replace('Key: before', 'Key: after')
  const backup = readSection('backup.md', 'One server')
  const restoreAt = backup.findIndex((command) => command.includes('systemctl stop'))
  expect(backup.length).toBeGreaterThan(20)
  const output = await machine.runCommands([
    ...make,
    ...readCommands(watch),
    ...backup.slice(0, restoreAt),
    after,
    ...backup.slice(restoreAt),
    'until curl --silent --fail $API/health/ready; do sleep 0.2; done',
    look,
    ...readSection('upgrade.md', 'On one server'),
    look,
    repeat,
  ])
  expect(output).toContain('rows and the host’s store are in')
  expect(output).toMatch(/» sudo ls \S*backups\S*\n(first\n)?\d{4}-\S+Z\n/)
  expect(output).toContain('can be restored. Nothing was changed.')
  expect(output).toContain('Restored the backup of')
  expect(output).toContain('idempotency_keys.response: 1')
  expect(output).toContain('the older keys may be removed')
  const tokens = [...output.matchAll(/"name":"Before the backup",[^{}]*"token":"([\w-]+)"/g)].map(
    ([, token]) => token,
  )
  expect(tokens.length).toBe(2)
  expect(new Set(tokens).size).toBe(1)
  expect(output).toContain('Compacted: ')
  const [, ...instances] = output.split('» curl --silent --fail API/instance/all')
  expect(instances).toHaveLength(2)
  for (const list of instances) {
    expect(list).toContain('Before the backup')
    expect(list).not.toContain('After the backup')
  }
}, 300_000)

const readDeployed = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
const isInFolder = (command: string) => command.replaceAll('/opt/msgnet/', '').replaceAll('./', '')

test.each(['edge', 'host'])(
  'the image of the %s runs the command of its unit, without rights, and is stopped in order',
  (part) => {
    const dockerfile = readDeployed('Dockerfile')
    const [, unit = ''] = /^ExecStart=(.+)$/m.exec(readDeployed(`systemd/msgnet-${part}.service`)) ?? []
    const [stage = ''] = dockerfile.slice(dockerfile.indexOf(`FROM base AS ${part}\n`)).split(/\n\n(?=FROM)/)
    const [, command = '[]'] = /^CMD (.+)$/m.exec(stage) ?? []
    expect(isInFolder((JSON.parse(command) as string[]).join(' '))).toBe(isInFolder(unit))
    expect(stage).toMatch(/^HEALTHCHECK .+ CMD \[/m)
    const [, base = ''] = dockerfile.split(' AS base\n')
    expect(base.split('FROM')[0]).toMatch(/^USER node\nSTOPSIGNAL SIGTERM$/m)
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    expect(copied.filter((name) => !existsSync(join(projectRoot, name)))).toEqual([])
  },
)
