// A machine for the commands of a page: folders and ports of its own, and stand-ins for what only root or the internet could do.

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'

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
  useradd: 'mkdir -p "$HOME/users" && for name; do :; done && touch "$HOME/users/$name"',
  userdel: 'rm "$HOME/users/$1"',
  getent: '[ -e "$HOME/users/$2" ]',
  journalctl: 'exit 0',
  // There is one version of the project here.
  git: `[ "$1" = clone ] && exec ln -s ${projectRoot} "$3"; exit 0`,
  // What is installed here is that of this project.
  npm: `[ "$1" = ci ] && { [ -e node_modules ] || ln -s ${projectRoot}/node_modules node_modules; exit; }; exec ${process.execPath} "$(command -v /usr/bin/npm /usr/local/bin/npm | head -1)" "$@"`,
  // Without root the owner cannot be changed.
  install:
    'args=""; while [ $# -gt 0 ]; do case $1 in -o|-g) shift;; *) args="$args $1";; esac; shift; done; exec /usr/bin/install $args',
  systemctl: `exec ${process.execPath} ${join(import.meta.dirname, 'systemctl.ts')} "$@"`,
}

/** Creates its folders, its stand-ins and its free ports. */
export async function createMachine(): Promise<Machine> {
  const root = mkdtempSync(join(tmpdir(), 'machine-'))
  const folders = ['bin', 'etc/systemd/system', 'etc/caddy', 'opt', 'tmp', 'var/backups', 'units']
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  for (const [name, script] of Object.entries(STAND_INS)) {
    const file = join(root, 'bin', name)
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
  }
  return new Machine(root, await listChanges(root))
}

/** Texts of the page, and what stands for them on this machine. */
async function listChanges(root: string): Promise<[string, string][]> {
  const changes = FOLDERS.map((folder): [string, string] => [folder, root + folder])
  const ports = new Map<number, number>()
  for (const port of PORTS) ports.set(port, await freePort())
  changes.push(['https://gateway.example', `http://127.0.0.1:${ports.get(8787)}`])
  for (const [port, free] of ports) {
    changes.push([`127.0.0.1:${port}`, `127.0.0.1:${free}`], [`PORT=${port}`, `PORT=${free}`])
  }
  changes.push(['run setup -- ', `run setup -- --edge http://127.0.0.1:${ports.get(8787)} `])
  // The commands look for the data in the folder of the units.
  for (const command of ['backup', 'restore', 'compact', 'reseal'])
    for (const written of [`run ${command} -- `, `cli/${command}.ts `])
      changes.push([written, `${written}--data ${root}/var/lib/msgnet `])
  return changes
}

export class Machine {
  readonly root: string
  readonly #units: string
  readonly #changes: [string, string][]

  constructor(root: string, changes: [string, string][]) {
    this.root = root
    this.#units = join(root, 'units')
    this.#changes = changes
  }

  /** Replaces paths, ports and names of the page with those of this machine. */
  replacePaths(text: string): string {
    return this.#changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
  }

  readFile(path: string): string {
    return readFileSync(this.replacePaths(path), 'utf8')
  }

  /** Runs them in one shell; throws with the output of the first that fails. */
  async runCommands(commands: string[]): Promise<string> {
    const script = [
      'set -emo pipefail',
      'command cd "$0"',
      ...commands.flatMap((command) => [
        `echo ${JSON.stringify(`» ${command.slice(0, 60).replace(/["$`\\]/g, '')}`)}`,
        this.replacePaths(command),
      ]),
    ]
    const env = {
      PATH: `${join(this.root, 'bin')}:${process.env.PATH}`,
      HOME: this.root,
      MACHINE_UNITS: this.#units,
      MACHINE_CHANGES: JSON.stringify(this.#changes),
    }
    const args = ['-c', script.join('\n'), this.root]
    try {
      const { stdout } = await promisify(execFile)('bash', args, { env, timeout: 280_000 })
      return stdout
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      throw new Error([stdout, stderr, ...this.#readLogs()].join('\n'), { cause: error })
    }
  }

  close(): void {
    for (const name of readdirSync(this.#units).filter((file) => file.endsWith('.pid'))) {
      try {
        process.kill(-Number(readFileSync(join(this.#units, name), 'utf8')), 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
    rmSync(this.root, { recursive: true, force: true })
  }

  /** The end of the log of each unit. */
  #readLogs(): string[] {
    const logs = readdirSync(this.#units).filter((name) => name.endsWith('.log'))
    return logs.map((name) => `${name}:\n${readFileSync(join(this.#units, name), 'utf8').slice(-1500)}`)
  }
}
