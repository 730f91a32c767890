// `npm run grade` on receivers: on that of cli/receivers/, and on others that are wrong each in its own way.
// @module-tag slow

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { expect, onTestFinished, test } from 'vitest'
import { SECRET } from '../device.ts'
import { until } from '../until.ts'

const root = join(import.meta.dirname, '..', '..')
const TIMEOUT_MS = 120_000

/** Starts a program as a receiver, with a command that kills it and starts it anew. */
async function startReceiver(program: string, env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'grade-'))
  const [pidFile, port] = [join(folder, 'pid'), await freePort()]
  const settings = Object.entries({
    ...env,
    SECRET,
    PORT: String(port),
    DATABASE: join(folder, 'events.db'),
    LOG: join(folder, 'log'),
  })
  const start = [
    `${settings.map(([name, value]) => `${name}='${value}'`).join(' ')} '${process.execPath}' '${join(root, program)}' > /dev/null 2>&1 &`,
    `echo $! > '${pidFile}'`,
  ]
  const script = join(folder, 'restart.sh')
  writeFileSync(
    script,
    [`if [ -f '${pidFile}' ]; then kill -9 "$(cat '${pidFile}')"; fi`, ...start].join('\n'),
  )
  const url = `http://127.0.0.1:${port}/`
  onTestFinished(() => {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL')
    rmSync(folder, { recursive: true })
  })
  spawn('sh', [script], { stdio: 'ignore' })
  await until(() => fetch(url, { method: 'POST' }))
  return { url, restart: `sh '${script}'`, folder }
}

async function grade(url: string, args: string[] = [], env: Record<string, string> = { SECRET }) {
  const command = spawn('sh', ['cli/node', 'cli/grade.ts', url, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
  })
  const [printed, errors] = await Promise.all([text(command.stdout), text(command.stderr)])
  await until(() => command.exitCode !== null)
  const wrong = [...printed.matchAll(/^✗ (.+?): /gm)].map(([, title]) => title)
  return { printed, errors, wrong, grade: /^Grade (\w)/m.exec(printed)?.[1], exitCode: command.exitCode }
}

const gradeFlawed = async (flaw: string) => {
  const { url, restart } = await startReceiver('test/delivery/flawed-receiver.ts', { FLAW: flaw })
  return grade(url, ['--list', url, '--restart', restart])
}

test('the receiver of cli/receivers/ gets an A, also by its badge', { timeout: TIMEOUT_MS }, async () => {
  const { url, restart, folder } = await startReceiver('cli/receivers/receiver.ts', {})
  const listing = createServer((_, response) => {
    const database = new DatabaseSync(join(folder, 'events.db'), { readOnly: true })
    response.end(
      JSON.stringify(
        database
          .prepare('select id from events')
          .all()
          .map(({ id }) => id),
      ),
    )
    database.close()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void listing.close())
  await until(() => listing.listening)
  const badge = join(folder, 'badge.svg')
  const listUrl = `http://127.0.0.1:${(listing.address() as AddressInfo).port}/`
  const graded = await grade(url, ['--list', listUrl, '--restart', restart, '--badge', badge])
  expect(graded).toMatchObject({ wrong: [], grade: 'A', exitCode: 0, errors: '' })
  expect(graded.printed).toContain('14 right, 0 wrong, 0 not judged')
  expect(readFileSync(badge, 'utf8')).toContain('aria-label="webhook receiver: A"')
  const short = await grade(url)
  expect(short).toMatchObject({ wrong: [], grade: 'B', exitCode: 0 })
  expect(short.printed).toContain('12 right, 0 wrong, 2 not judged')
})

test.each([
  ['none', 'A', []],
  [
    'verifies nothing',
    'F',
    [
      'refuses an event that is signed with another secret',
      'refuses a body that was changed after it was signed',
      'refuses an event without a signature',
      'refuses an event that was signed ten minutes ago',
    ],
  ],
  ['writes JSON anew', 'C', ['verifies the bytes as they came, and not JSON that it has written anew']],
  ['works on repeats', 'C', ['works on an event once, however often it comes']],
  ['is slow in a crowd', 'C', ['answers 20 at once, each within 15 s']],
  ['stores in memory', 'F', ['has what it confirmed, once, when it was killed right after']],
])(
  'a receiver with the flaw "%s" gets %s, for what it does wrong and nothing else',
  { timeout: TIMEOUT_MS },
  async (flaw, expected, wrong) => {
    expect(await gradeFlawed(flaw)).toMatchObject({
      grade: expected,
      wrong,
      exitCode: wrong.length > 0 ? 1 : 0,
    })
  },
)

test('what takes no genuine event is judged for nothing else', async () => {
  const { url } = await startReceiver('test/delivery/flawed-receiver.ts', {})
  const graded = await grade(url, [], { SECRET: 'not the one of the receiver' })
  expect(graded).toMatchObject({ wrong: ['takes a genuine event'], grade: 'F', exitCode: 1 })
  expect(graded.printed).toContain('0 right, 1 wrong, 13 not judged')
})

test('wrong arguments are one sentence each', async () => {
  const sentences = [
    await grade('ftp://receiver.example'),
    await grade('http://127.0.0.1:1', ['--list', 'here']),
    await grade('http://127.0.0.1:1', [], {}),
    await grade('http://127.0.0.1:1', ['--stop']),
  ]
  expect(sentences.map(({ errors, exitCode }) => [errors.split('\n').length, exitCode])).toEqual(
    Array(4).fill([2, 1]),
  )
})
