// `npm run first-day` in the simulated network: it runs by itself, finds what is wrong, goes on where it was, and its report names no one.
// @module-tag slow

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickArgs, quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { startWorld, type World } from '../world.ts'

const program = join(import.meta.dirname, '..', '..', 'cli', 'first-day.ts')
const folder = mkdtempSync(join(tmpdir(), 'first-day-'))
let world: World
let device: Device

beforeAll(async () => {
  world = await startWorld({ NETWORK_LOG: 'on' })
  device = await createDevice(world, 'Flower shop')
})

afterAll(async () => {
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

function runDay(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...quickArgs, program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...quickEnv, DATA_DIR: world.dataDir, ...env },
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}
const readReport = () => readFileSync(join(folder, 'first-day.md'), 'utf8')
const readSteps = () =>
  readFileSync(join(folder, 'first-day.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('a first step that is refused is in the report, and the same command goes on with it', async () => {
  await world.sim('POST', '/faults', { kind: 'unreachable' })
  const args = ['--instance', device.id, '--yes', '--step', '0']
  const { status, output } = runDay(args)
  expect([status, output]).toEqual([1, expect.stringContaining('failed')])
  await world.sim('DELETE', '/faults')
  expect(runDay(args).status).toBe(0)
  expect(readSteps().map(({ step, outcome }) => [step, outcome])).toEqual([
    [0, 'failed'],
    [0, 'ok'],
  ])
})

test('the whole day runs by itself, each step checked by the protocol log', async () => {
  const { status, output } = runDay(['--instance', device.id, '--yes'])
  expect([status, output]).toEqual([0, expect.stringContaining('The device removed')])
  const outcomes = readSteps().map(({ step, outcome }) => [step, outcome])
  expect(outcomes.slice(2)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 61, 62, 9].map((step) => [step, 'ok']))
  const report = readReport()
  expect(report).toContain('pair-success')
  expect(report).toMatch(/a stranger: acknowledged/)
  expect(report).toMatch(/<ack [^>]*class="message"/)
  const received = ['a text', 'a picture', 'an edit', 'a deletion', 'a picture to be seen once', 'a vote']
  for (const kind of received) expect(report).toContain(`- ${kind}: came\n`)
  expect(report).toContain('logged_out, and no attempt to come back')
})

test('what has ended well is not done again', () => {
  const before = readSteps().length
  expect(runDay(['--instance', device.id, '--yes']).status).toBe(0)
  expect(readSteps()).toHaveLength(before)
})

test('no number and no text of a person is in the report or in its log', async () => {
  const written = readReport() + readFileSync(join(folder, 'first-day.jsonl'), 'utf8')
  expect(written).not.toMatch(/\b55\d{10,11}\b|Flower shop|Stranger|Meanwhile|A test of the first day/)
})

test.each([
  ['no instance', [], {}, 'The instance is missing'],
  ['a host without a protocol log', ['--instance', 'x', '--yes'], { DATA_DIR: folder }, 'NETWORK_LOG=on'],
])('%s is one sentence', (_, args, env, sentence) => {
  const { status, output } = runDay(args, env)
  expect([status, output]).toEqual([1, expect.stringContaining(sentence)])
})
