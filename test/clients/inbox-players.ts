// The inbox of the examples in each language: how it is built once, and started for an instance.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import type { Lab, LabInstance } from '../../clients/testing/start-lab.ts'
import { until } from '../until.ts'
import { clients, createEnvironment, findMissing, languages } from './languages.ts'
import type { Book, Order, Outcome } from './story-verdicts.ts'

const examples = join(clients, 'testing', 'examples', 'inbox')

export interface Player {
  language: string
  /** The reason to skip, or undefined. */
  missing: string | undefined
  /** In a folder with the program. */
  prepare(place: string): void
  /** The command. */
  run(port: number): string[]
}

/** Runs in the folder of the program. */
const execute = (place: string, command: string, args: string[]) =>
  execFileSync(command, args, { cwd: place, env: createEnvironment(), stdio: 'pipe' })

/** One that `languages` knows. */
function choosePlayer(name: string, run: Player['run'], build: string[] = []): Player {
  const own = languages.find(({ language }) => language === name)
  if (!own) throw new Error(`there is no language ${name}`)
  const [program] = own.needs
  const prepare = (place: string) => {
    for (const args of [...own.prepare, build]) if (args.length > 0) execute(place, program, args)
  }
  return { language: name, missing: findMissing(own), prepare, run }
}

export const players: Player[] = [
  {
    language: 'typescript',
    missing: undefined,
    prepare(place) {
      const to = join(place, 'node_modules', 'msgnet-gateway-client')
      execute(projectRoot, 'npm', ['run', 'build:client', '--', '--to', to])
      mkdirSync(join(place, 'node_modules', '@types'))
      const types = join('node_modules', '@types', 'node')
      symlinkSync(join(projectRoot, types), join(place, types))
      const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
      const options = [
        '--strict',
        '--noEmit',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--types',
        'node',
      ]
      execute(place, process.execPath, [compiler, ...options, 'inbox.ts'])
    },
    run: () => [process.execPath, 'inbox.ts'],
  },
  choosePlayer('python', () => ['python3', 'inbox.py']),
  choosePlayer('php', (port) => ['php', '-S', `127.0.0.1:${port}`, 'inbox.php']),
  choosePlayer('go', () => ['./inbox'], ['build', '-o', 'inbox', 'inbox.go']),
]

/** Copies it as a reader copies it, with what its page says to do before. */
export function installInbox({ prepare }: Player, place: string): void {
  cpSync(examples, place, { recursive: true })
  prepare(place)
}

/** The events of the instance go to it. */
export async function startInbox(lab: Lab, instance: LabInstance, { run }: Player, place: string) {
  const port = await freePort()
  const [command = '', ...args] = run(port)
  const program = spawn(command, args, {
    cwd: place,
    env: createEnvironment({
      GATEWAY: lab.baseUrl,
      TOKEN: instance.token,
      SECRET: lab.receiver.secret,
      PORT: String(port),
      STORE: join(place, `${instance.id}.jsonl`),
      PHP_CLI_SERVER_WORKERS: '4',
    }),
    detached: true,
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  const readBook = async (): Promise<Book> => (await fetch(`${url}/book`)).json() as Promise<Book>
  await until(readBook)
  await lab.forwardTo(`${url}/hook`, instance)
  return {
    readBook,
    async send(order: Order): Promise<Outcome> {
      const response = await fetch(`${url}/send`, { method: 'POST', body: JSON.stringify(order) })
      return (await response.json()) as Outcome
    },
    async stop(): Promise<void> {
      await lab.forwardTo(null, instance)
      await endWithWorkers(program)
    },
  }
}

/** PHP has workers. */
async function endWithWorkers(program: ChildProcess): Promise<void> {
  if (!program.pid || program.exitCode !== null || program.signalCode !== null) return
  const ended = once(program, 'exit')
  process.kill(-program.pid, 'SIGKILL')
  await ended
}
