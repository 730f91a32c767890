// The clients in other languages against a gateway: the first message of their pages, and their echo bot.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { readInbox, startBot } from './echo-bot.ts'
import { clients, createEnvironment, findMissing, languages } from './languages.ts'

const world = await borrowForFile()
const folder = mkdtempSync(join(tmpdir(), 'first-message-'))

let device: LinkedDevice

beforeAll(async () => {
  device = await linkDevice(world, await createDevice(world, 'Shop'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(languages)('the client in $language', (own) => {
  const { language, program, prepare, run } = own

  test('sends a first message as its page says, from an empty folder', async ({ skip }) => {
    const missing = findMissing(own)
    if (missing) skip(missing)
    const friend = await createPhone(world, 'Ana')
    const page = readFileSync(join(clients, language, 'README.md'), 'utf8')
    const code = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''
    const [command = '', ...args] = run
    const place = join(folder, language)
    mkdirSync(place)
    writeFileSync(join(place, program), code)
    const env = createEnvironment({ GATEWAY: world.run.baseUrl, TOKEN: device.token, NUMBER: friend })
    // Not in this process's own time, in which it would not see that a gateway closes an idle connection.
    const runCommand = async (words: string[]) =>
      (await promisify(execFile)(command, words, { cwd: place, env })).stdout
    for (const step of prepare) await runCommand(step)
    expect(await runCommand(args)).toMatch(/\b[0-9A-F]{18,}\b/)
    const inbox = await until(async () => {
      const texts = await readInbox(world, friend)
      return texts.length > 0 && texts
    })
    expect(inbox).toEqual(['Good morning'])
  })

  test('answers each text once by its example bot', async ({ skip }) => {
    const missing = findMissing(own)
    if (missing) skip(missing)
    const friend = await createPhone(world, 'Bia')
    const texts = ['one', 'two', 'três 😀']
    for (const text of texts) await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    // Killed after its first answers: the next one reads the same events, and repeats nothing.
    for (const count of [1, texts.length]) {
      const bot = startBot(world, device, own)
      try {
        await until(async () => (await readInbox(world, friend)).length >= count, { within: 30_000 })
      } finally {
        bot.stop()
      }
    }
    // An answer that was on its way at the kill may arrive after one of the next bot.
    expect((await readInbox(world, friend)).toSorted()).toEqual(
      texts.map((text) => `You said: ${text}`).toSorted(),
    )
  })
})
