// Where the processor time of a row goes: samples of `perf` over the edge and the database, sorted by what they were doing.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Around, setCostStage } from './cost-stage.ts'
import { rows } from './costs.ts'
import { kindOf, type Profiled } from './profile-kinds.ts'

/** A second of processor time. */
const SAMPLES = 1999
/** The database's program keeps no frame pointers: its stacks are read from copies of so many bytes. */
const STACKS: Record<Profiled, string[]> = {
  edge: ['-g'],
  database: ['--call-graph', 'dwarf,16384'],
}
const profiled = Object.keys(STACKS) as Profiled[]
const AS_TEXT = 200 * 2 ** 20

export interface Profile {
  what: string
  part: Profiled
  samples: number
  /** Percent, by kind. */
  shares: Record<string, number>
}

/** Of every row of the costs' table, one after another. */
export async function profileCosts(note: (text: string) => void): Promise<Profile[]> {
  execFileSync('perf', ['--version'])
  const folder = mkdtempSync(join(tmpdir(), 'profile-'))
  const profiles: Profile[] = []
  let what = ''
  const around: Around = async (work) => {
    const pid = (part: Profiled) => stage.world.pid(part)
    const files = profiled.map((part) => join(folder, `${profiles.length}-${part}`))
    const recorders = profiled.map((part, at) => record(part, pid(part), files[at] ?? ''))
    // It says nothing when it has begun.
    await wait(2000)
    await work()
    await Promise.all(recorders.map(end))
    profiled.forEach((part, at) => {
      const profile = { what, part, ...sharesOf(part, files[at] ?? '') }
      profiles.push(profile)
      rmSync(files[at] ?? '')
      note(`${what}, ${part}, ${profile.samples} samples: ${asText(profile)}`)
    })
  }
  const stage = await setCostStage(around)
  try {
    for (const row of rows) {
      what = row.what
      await row.measure(stage)
    }
    return profiles
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true })
  }
}

const record = (part: Profiled, pid: number, file: string): ChildProcess =>
  spawn(
    'perf',
    [
      ...['record', '-q', '-N', '-F', String(SAMPLES), '-e', 'cpu-clock'],
      ...STACKS[part],
      ...['-p', String(pid), '-o', file],
    ],
    { stdio: 'ignore' },
  )

async function end(recorder: ChildProcess): Promise<void> {
  const ended = once(recorder, 'exit')
  recorder.kill('SIGINT')
  await ended
}

function sharesOf(part: Profiled, file: string): Pick<Profile, 'samples' | 'shares'> {
  const text = execFileSync('perf', ['script', '--no-inline', '-i', file, '-F', 'ip,sym,dso'], {
    ...{ encoding: 'utf8', maxBuffer: AS_TEXT },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const stacks = text
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => /^\s+[0-9a-f]+ /.test(line)))
    .filter((stack) => stack.length > 0)
  const counts = new Map<string, number>()
  for (const stack of stacks) {
    const kind = kindOf(part, stack)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const shares = [...counts].map(([kind, count]) => [kind, (100 * count) / stacks.length] as const)
  return {
    samples: stacks.length,
    shares: Object.fromEntries(shares.sort(([, one], [, other]) => other - one)),
  }
}

const asText = ({ shares }: Profile) =>
  Object.entries(shares)
    .map(([kind, share]) => `${kind} ${share.toFixed(1)}`)
    .join('; ')

/** For the terminal: a table for each part, a column for each row of the costs' table. */
export function printProfiles(profiles: Profile[]): void {
  for (const part of profiled) {
    const mine = profiles.filter((profile) => profile.part === part)
    const kinds = new Set(mine.flatMap(({ shares }) => Object.keys(shares)))
    console.log(`${part}: percent of its processor time`)
    console.table(
      [...kinds].map((kind) => ({
        kind,
        ...Object.fromEntries(mine.map(({ what, shares }) => [what, (shares[kind] ?? 0).toFixed(0)])),
      })),
    )
  }
}
