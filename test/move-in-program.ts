// `npm run move-in` as a process, in a folder of its own.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickArgs, quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import type { Device } from './device.ts'
import type { Seen } from './scene.ts'
import { until } from './until.ts'
import type { MemoryKeys } from './wire/memory-keys.ts'
import type { SharedWorld } from './world.ts'

const program = join(import.meta.dirname, '..', 'cli', 'move-in.ts')

export interface MoveRun {
  /** What it has printed so far. */
  readOutput(): string
  kill(): Promise<void>
  ended: Promise<{ code: number | null; output: string }>
}

/** Deleted after the run: tests beside each other cannot say which of them has finished. */
export const makeFolder = (): string => mkdtempSync(join(process.env.TEST_RUN_FOLDER ?? tmpdir(), 'move-in-'))

/** The library's own store of files, of either line. */
type OpenFiles = (folder: string) => Promise<{
  state: { creds: object; keys: { set(data: object): unknown } }
  saveCreds(): Promise<unknown>
}>

/** Written by the library, as a program does that uses its store of files; last a day ago. */
export async function storeInFiles(
  openFiles: OpenFiles,
  { creds, keys }: { creds: object; keys: Pick<MemoryKeys, 'listRows'> },
  folder: string,
): Promise<void> {
  const { state, saveCreds } = await openFiles(folder)
  Object.assign(state.creds, creds)
  await saveCreds()
  for (const { kind, id, value } of keys.listRows()) await state.keys.set({ [kind]: { [id]: value } })
  ageFiles(folder, 24 * 3600)
}

export function ageFiles(folder: string, seconds: number): void {
  const at = Date.now() / 1000 - seconds
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), at, at)
}

export function startMoveIn(world: SharedWorld, folder: string, args: string[]): MoveRun {
  const child = spawn(process.execPath, [...quickArgs, program, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      ...quickEnv,
      DATA_DIR: world.dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
  return {
    readOutput: () => output,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    ended,
  }
}

export const runMoveIn = (world: SharedWorld, folder: string, args: string[]) =>
  startMoveIn(world, folder, args).ended

/** The steps in move-in.jsonl. */
export function readSteps(folder: string): Seen[] {
  const path = join(folder, 'move-in.jsonl')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The instance that an account has moved to, by the token in move-in.jsonl. */
export function findMoved(world: SharedWorld, folder: string, name: string): Device {
  const step = readSteps(folder).find((one) => one.name === name && one.step === 'created')
  if (!step) throw new Error(`${name} was not moved`)
  return { id: step.instance, token: step.token, caller: world.callAs(step.token) }
}

/** Names and numbers of those that have one of these as name or number: other tests have theirs beside them. */
export async function listInstances(world: SharedWorld, asked: string[]): Promise<string[]> {
  const instances: Seen[] = (await world.admin.get('/instance/all')).body
  const theirs = instances.filter(({ name, owner }) => asked.includes(name) || asked.includes(owner))
  return theirs.map(({ name, owner }) => `${name} ${owner}`).sort()
}

export const waitForOutput = (run: MoveRun, matches: (output: string) => boolean): Promise<unknown> =>
  until(() => matches(run.readOutput()), { within: 60_000 })
