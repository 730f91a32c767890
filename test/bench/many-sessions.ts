// Many sessions in one process: how soon they are back after it was started again, and what an idle one takes.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import type { SessionFigures } from '../figures/figures.ts'
import { until } from '../until.ts'
import { startWorld, unlimited, type World } from '../world.ts'
import { createMaxRatioMeasure, type Measure } from './measure.ts'

/** Linked side by side: more would be the load that they wait for. */
const AT_ONCE = 8
const IDLE_MS = 10_000
const PATIENCE = { within: 300_000 }

interface Figures {
  /** From the start of the process to the last login, in seconds. */
  back: number
  /** MiB of the whole process, when nothing has happened for a while. */
  idle: number
}

export async function measureManySessions(
  count: number,
): Promise<{ figures: SessionFigures; measures: Measure[] }> {
  const world = await startWorld({ HOST_SLOTS: String(count), LOG_LEVEL: 'warn', ...unlimited })
  try {
    const ours = await measureGateway(world, count)
    const alone = await measureLibrary(world, count)
    const figures = {
      count,
      memory: { ours: ours.idle, library: alone.idle },
      back: { ours: ours.back, library: alone.back },
    }
    const what = `${count} sessions back, s from the start of the process`
    return {
      figures,
      measures: [
        createMaxRatioMeasure(what, ours.back, alone.back, 1.5),
        createMaxRatioMeasure(`MiB of a process with ${count} idle sessions`, ours.idle, alone.idle, 1.3),
      ],
    }
  } finally {
    await world.close()
  }
}

async function measureGateway(world: World, count: number): Promise<Figures> {
  const numbers = new Set<string>()
  await runInTurns(count, async (n) => {
    const device: LinkedDevice = await linkDevice(
      world,
      await createDevice(world, `Many ${n}`),
      PATIENCE.within,
    )
    numbers.add(device.number)
  })
  const before = world.findPid('session host')
  const marked = await findLastEntry(world)
  process.kill(before, 'SIGTERM')
  await until(() => !isAlive(before))
  const started = Date.now()
  const back = await findLastLogin(world, marked, numbers)
  const idle = await measureResident(() => world.findPid('session host'))
  return { back: (back - started) / 1000, idle }
}

async function measureLibrary(world: World, count: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'raw-'))
  const { url } = await world.sim('GET', '/network')
  const numbers: string[] = []
  for (let n = 0; n < count; n++) numbers.push(await createPhone(world, 'Raw'))

  const first = await startChild()
  const scanned = new Set<number>()
  first.on('message', ({ qr, n }: { qr?: string; n: number }) => {
    if (!qr || scanned.has(n)) return
    scanned.add(n)
    void world.sim('POST', `/phones/${numbers[n]}/scan`, { qr })
  })
  await openSessions(first, { folder, url, count, atOnce: AT_ONCE })
  await endChild(first)

  const marked = await findLastEntry(world)
  const started = Date.now()
  const second = await startChild()
  const open = openSessions(second, { folder, url, count, atOnce: count })
  const back = await findLastLogin(world, marked, new Set(numbers))
  await open
  const idle = await measureResident(() => second.pid ?? 0)
  await endChild(second)
  rmSync(folder, { recursive: true })
  return { back: (back - started) / 1000, idle }
}

/** So many, some of them side by side. */
async function runInTurns(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const runWorker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runWorker))
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'raw-process.ts'), { stdio: 'ignore' })
  await new Promise((resolve) => child.once('message', resolve))
  return child
}

async function openSessions(child: ChildProcess, task: object): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  child.on('message', ({ open }: { open?: boolean }) => open && resolve())
  child.send(task)
  await promise
}

async function endChild(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await gone
}

interface Entry {
  seq: number
  at: number
  number: string | null
  what: string
}

const readEntries = async (world: World, after: number): Promise<Entry[]> =>
  (await world.sim('GET', `/log?after=${after}`)).entries as Entry[]

const findLastEntry = async (world: World): Promise<number> => (await readEntries(world, 0)).at(-1)?.seq ?? 0

/** When the last of these numbers had logged in again, in milliseconds since the epoch. */
async function findLastLogin(world: World, after: number, numbers: ReadonlySet<string>): Promise<number> {
  const logins = new Map<string | null, number>()
  let seen = after
  await until(async () => {
    // The log holds its newest entries only: it is read as it grows.
    for (const { seq, what, number, at } of await readEntries(world, seen)) {
      seen = seq
      if (what === 'login') logins.set(number, logins.get(number) ?? at)
    }
    return [...numbers].every((number) => logins.has(number))
  }, PATIENCE)
  return Math.max(...[...numbers].map((number) => logins.get(number) ?? 0))
}

/** MiB after it has had nothing to do for a while. */
async function measureResident(pid: () => number): Promise<number> {
  await wait(IDLE_MS)
  return readResidentMemory(pid())
}

const readResidentMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
