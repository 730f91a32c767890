// The clients in other languages against a gateway: the first message of their pages, and their echo bot.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { canRun } from '../optional-programs.ts'
import { openSharedWorld } from '../shared-world.ts'
import { until } from '../until.ts'

const world = await openSharedWorld()
const clients = join(import.meta.dirname, '..', '..', 'clients')
const folder = mkdtempSync(join(tmpdir(), 'first-message-'))
const module = 'example.org/msgnet-gateway/gateway'

let device: LinkedDevice
let friend: string

beforeAll(async () => {
  device = await linkDevice(world, await createDevice(world, 'Shop'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const languages = [
  {
    language: 'python',
    needs: ['python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']],
    program: 'main.py',
    prepare: [],
    run: ['python3', 'main.py'],
    bot: ['python3', join(clients, 'python', 'examples', 'echo_bot.py')],
  },
  {
    language: 'go',
    needs: ['go', ['version']],
    program: 'main.go',
    // As its page says.
    prepare: [
      ['mod', 'init', 'shop'],
      ['mod', 'edit', '-replace', `${module}=${join(clients, 'go')}`],
      ['mod', 'tidy'],
    ],
    run: ['go', 'run', 'main.go'],
    bot: ['go', 'run', join(clients, 'go', 'examples', 'echobot', 'main.go')],
  },
] as const

describe.each(languages)('the client in $language', ({ language, needs, program, prepare, run, bot }) => {
  const place = join(folder, language)
  const getEnvironment = () => ({
    ...process.env,
    GATEWAY: world.run.baseUrl,
    TOKEN: device.token,
    NUMBER: friend,
    PYTHONPATH: join(clients, 'python', 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    GOCACHE: join(tmpdir(), 'go-cache'),
    GOFLAGS: '-mod=mod',
  })
  const readInbox = async (): Promise<string[]> => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as { text: string }[]).map(({ text }) => text)
  }

  test('sends a first message as its page says, from an empty folder', async ({ skip }) => {
    if (!canRun(needs[0], [...needs[1]])) skip(`${needs[0]} is not on this machine`)
    friend = await createPhone(world, 'Ana')
    const page = readFileSync(join(clients, language, 'README.md'), 'utf8')
    const code = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''
    const [command, ...args] = run
    mkdirSync(place)
    writeFileSync(join(place, program), code)
    const options = { cwd: place, env: getEnvironment(), stdio: 'pipe' } as const
    for (const step of prepare) execFileSync(command, step, options)
    expect(execFileSync(command, args, options).toString()).toMatch(/\b[0-9A-F]{18,}\b/)
    expect(await until(async () => (await readInbox()).length > 0 && readInbox())).toEqual(['Good morning'])
  })

  test('answers each text once by its example bot', async ({ skip }) => {
    if (!canRun(needs[0], [...needs[1]])) skip(`${needs[0]} is not on this machine`)
    friend = await createPhone(world, 'Bia')
    const texts = ['one', 'two', 'três 😀']
    for (const text of texts) await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    const [command, ...args] = bot
    const options = { cwd: join(clients, language), env: getEnvironment(), detached: true } as const
    let running: ChildProcess | undefined
    try {
      // Killed after its first answers: the next one reads the same events, and repeats nothing.
      for (const count of [1, texts.length]) {
        running = spawn(command, args, { ...options, stdio: 'ignore' })
        await until(async () => (await readInbox()).length >= count, { within: 30_000 })
        stopGroup(running)
      }
    } finally {
      stopGroup(running)
    }
    // An answer that was on its way at the kill may arrive after one of the next bot.
    expect((await readInbox()).toSorted()).toEqual(texts.map((text) => `You said: ${text}`).toSorted())
  })
})

/** With what it has started: `go run` compiles a program and starts that. */
function stopGroup(running: ChildProcess | undefined): void {
  if (running?.pid && running.exitCode === null && running.signalCode === null)
    process.kill(-running.pid, 'SIGKILL')
}
