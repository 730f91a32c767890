// docs/one-server.md, as a new user follows it: every command, one after the other, up to a message and a verified webhook.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../local/build/bundle.ts'
import { type Machine, makeMachine } from './machine.ts'

const page = readFileSync(join(projectRoot, 'docs', 'one-server.md'), 'utf8')
const [untilLive = ''] = page.split('\n## Daily work')
const commands = [...untilLive.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .flatMap(([, block = '']) => block.split('\n'))
  .filter(Boolean)

let machine: Machine

beforeAll(async () => {
  machine = await makeMachine()
})

afterAll(() => machine.close())

test('every command of the page works, up to a message and a verified webhook', async () => {
  expect(commands.length).toBeGreaterThan(30)
  const said = await machine.run(commands)
  expect(said).toContain('{"status":"ready"}')
  expect(said).toContain('Host ')
  expect(said).toContain('"messageid"')
  expect(said.trim().split('\n').at(-1)).toBe('» journalctl -u msgnet-host -f')
  // It has what the live network needs, and waits for the first instance.
  const waiting =
    'until curl --silent http://127.0.0.1:9464/health | grep \'"linked":true\'; do sleep 0.2; done'
  expect(await machine.run([waiting])).toContain('"sessions":0')
  // Another set of keys would open nothing of what is there.
  const keys = machine.read('/etc/msgnet/edge.env')
  await expect(
    machine.run(['cd /opt/msgnet', 'npm run setup -- --folder /etc/msgnet --domain other.example']),
  ).rejects.toThrow('nothing was changed')
  expect(machine.read('/etc/msgnet/edge.env')).toBe(keys)
}, 300_000)

const deployed = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
const inFolder = (command: string) => command.replaceAll('/opt/msgnet/', '').replaceAll('./', '')

test.each(['edge', 'host'])(
  'the image of the %s runs what its unit runs, without rights, watched and stopped in order',
  (part) => {
    const dockerfile = deployed('Dockerfile')
    const [, unit = ''] = /^ExecStart=(.+)$/m.exec(deployed(`systemd/msgnet-${part}.service`)) ?? []
    const [stage = ''] = dockerfile.slice(dockerfile.indexOf(`FROM base AS ${part}\n`)).split(/\n\n(?=FROM)/)
    const [, command = '[]'] = /^CMD (.+)$/m.exec(stage) ?? []
    expect(inFolder((JSON.parse(command) as string[]).join(' '))).toBe(inFolder(unit))
    expect(stage).toMatch(/^HEALTHCHECK .+ CMD \[/m)
    const [, base = ''] = dockerfile.split(' AS base\n')
    expect(base.split('FROM')[0]).toMatch(/^USER node\nSTOPSIGNAL SIGTERM$/m)
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    expect(copied.filter((name) => !existsSync(join(projectRoot, name)))).toEqual([])
  },
)
