// The languages of the other clients: what a machine needs for each, and how its programs are run.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canRun } from '../optional-programs.ts'

export const clients = join(import.meta.dirname, '..', '..', 'clients')
const module = 'example.org/msgnet-gateway/gateway'

interface Language {
  language: string
  /** The program and the arguments that say whether it is here, and new enough. */
  needs: [program: string, probe: string[]]
  /** The file of a first program, what its page says to do before, and how it is run. */
  program: string
  prepare: string[][]
  run: string[]
  bot: string[]
  /** Is given a file as its last argument. */
  importer: string[]
  tests: string[]
}

export const languages: Language[] = [
  {
    language: 'python',
    needs: ['python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']],
    program: 'main.py',
    prepare: [],
    run: ['python3', 'main.py'],
    bot: ['python3', join(clients, 'python', 'examples', 'echo_bot.py')],
    importer: ['python3', join(clients, 'python', 'examples', 'import_device.py')],
    tests: ['-m', 'unittest', 'discover', '-t', '.', 'tests'],
  },
  {
    language: 'go',
    needs: ['go', ['version']],
    program: 'main.go',
    prepare: [
      ['mod', 'init', 'shop'],
      ['mod', 'edit', '-replace', `${module}=${join(clients, 'go')}`],
      ['mod', 'tidy'],
    ],
    run: ['go', 'run', 'main.go'],
    bot: ['go', 'run', join(clients, 'go', 'examples', 'echobot', 'main.go')],
    importer: ['go', 'run', join(clients, 'go', 'examples', 'importdevice', 'main.go')],
    tests: ['test', './...'],
  },
  {
    language: 'php',
    needs: ['php', ['-r', 'exit(PHP_VERSION_ID < 80100 ? 1 : 0);']],
    program: 'main.php',
    // In place of Composer, which few machines have: it writes a file that does the same.
    prepare: [
      ['-r', `mkdir('vendor'); copy('${join(clients, 'php', 'autoload.php')}', 'vendor/autoload.php');`],
      ['-r', `symlink('${join(clients, 'php', 'src')}', 'vendor/src');`],
    ],
    run: ['php', 'main.php'],
    bot: ['php', join(clients, 'php', 'examples', 'echo_bot.php')],
    importer: ['php', join(clients, 'php', 'examples', 'import_device.php')],
    tests: ['tests/run.php'],
  },
]

/** The reason to skip, or undefined. */
export const findMissing = ({ needs: [program, probe] }: Language): string | undefined =>
  canRun(program, probe) ? undefined : `${program} is not on this machine, or too old`

export const createEnvironment = (own: Record<string, string> = {}) => ({
  ...process.env,
  PYTHONPATH: join(clients, 'python', 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
  GOCACHE: join(tmpdir(), 'go-cache'),
  GOFLAGS: '-mod=mod',
  ...own,
})
