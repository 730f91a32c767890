// A machine for the commands of a page: folders and ports of its own, and stand-ins for what only root or the internet could do.

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../cli/build/root.ts'
import { freePort } from '../../cli/settings/ports.ts'

export interface Machine {
  /** What the page says of paths, ports and names, as it is on this machine. */
  replacePaths(text: string): string
  /** Runs them in one shell; throws with what the first that fails has said. */
  runCommands(commands: string[]): Promise<string>
  readFile(path: string): string
  close(): void
}

const PORTS = [8787, 8788, 8799, 9464, 9465]
const FOLDERS = [
  '/etc/msgnet',
  '/etc/systemd/system',
  '/etc/caddy',
  '/opt',
  '/var/lib/msgnet',
  '/var/backups',
  '/tmp/rehearsal.db',
]

const STAND_INS: Record<string, string> = {
  sudo: 'exec "$@"',
  'apt-get': 'exit 0',
  useradd: 'exit 0',
  journalctl: 'exit 0',
  // There is one version of the project here.
  git: `[ "$1" = clone ] && exec ln -s ${projectRoot} "$3"; exit 0`,
  npm: `[ "$1" = ci ] && exit 0; exec ${process.execPath} "$(command -v /usr/bin/npm /usr/local/bin/npm | head -1)" "$@"`,
  // Without root nobody can be made the owner.
  install:
    'args=""; while [ $# -gt 0 ]; do case $1 in -o|-g) shift;; *) args="$args $1";; esac; shift; done; exec /usr/bin/install $args',
  systemctl: `exec ${process.execPath} ${join(import.meta.dirname, 'systemctl.ts')} "$@"`,
}

export async function createMachine(): Promise<Machine> {
  const root = mkdtempSync(join(tmpdir(), 'machine-'))
  const bin = join(root, 'bin')
  for (const folder of [
    bin,
    join(root, 'etc/systemd/system'),
    join(root, 'etc/caddy'),
    join(root, 'opt'),
    join(root, 'tmp'),
    join(root, 'var/backups'),
  ])
    mkdirSync(folder, { recursive: true })
  for (const [name, script] of Object.entries(STAND_INS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const changes: [string, string][] = FOLDERS.map((folder) => [folder, root + folder])
  const ports = new Map<number, number>()
  for (const port of PORTS) ports.set(port, await freePort())
  changes.push(['https://gateway.example', `http://127.0.0.1:${ports.get(8787)}`])
  for (const [port, free] of ports) {
    changes.push([`127.0.0.1:${port}`, `127.0.0.1:${free}`], [`PORT=${port}`, `PORT=${free}`])
  }
  changes.push(['run setup -- ', `run setup -- --edge http://127.0.0.1:${ports.get(8787)} `])
  // The commands look for the data where the units keep it.
  for (const command of ['backup', 'restore', 'compact', 'reseal'])
    for (const written of [`run ${command} -- `, `cli/${command}.ts `])
      changes.push([written, `${written}--data ${root}/var/lib/msgnet `])
  const replacePaths = (text: string) =>
    changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
  const units = join(root, 'units')
  mkdirSync(units)

  return {
    replacePaths,
    readFile: (path) => readFileSync(replacePaths(path), 'utf8'),
    async runCommands(commands) {
      const script = [
        'set -emo pipefail',
        'command cd "$0"',
        ...commands.flatMap((command) => [
          `echo ${JSON.stringify(`» ${command.slice(0, 60).replace(/["$`\\]/g, '')}`)}`,
          replacePaths(command),
        ]),
      ]
      const env = {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: root,
        MACHINE_UNITS: units,
        MACHINE_CHANGES: JSON.stringify(changes),
      }
      try {
        const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n'), root], {
          env,
          timeout: 280_000,
        })
        return stdout
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string }
        const logs = readdirSync(units).filter((name) => name.endsWith('.log'))
        const endings = logs.map(
          (name) => `${name}:\n${readFileSync(join(units, name), 'utf8').slice(-1500)}`,
        )
        throw new Error([stdout, stderr, ...endings].join('\n'), { cause: error })
      }
    },
    close() {
      for (const name of readdirSync(units).filter((file) => file.endsWith('.pid'))) {
        try {
          process.kill(-Number(readFileSync(join(units, name), 'utf8')), 'SIGKILL')
        } catch {
          // It has ended already.
        }
      }
      rmSync(root, { recursive: true, force: true })
    },
  }
}
