// `npm run bench -- --holds`: how long each list, export, purge and deletion of a large gateway holds the edge's event loop.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildPages } from '@msgnet/cli/build/page-files.ts'
import { migrateEdge } from '@msgnet/cli/migrate.ts'
import { quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import type { TurnCosts } from './loop-turns-edge.ts'
import { type Amounts, fillDatabase, UNUSED_PLACE } from './loop-turns-fill.ts'
import { ADMIN_TOKEN, changes, links, type Row, reads, type Target, unlinkHost } from './loop-turns-rows.ts'

/** Milliseconds. */
const MAX_HOLD_MS = 20

export interface LoopTurn extends TurnCosts {
  what: string
  /** Of the whole operation, and the processor time of the process for it, with that of its other threads. */
  took: number
  cost: number
  /** The most memory of the process meanwhile, in MiB. */
  rss: number
}

/** Worst first. */
export async function measureLoopTurns(amounts: Amounts, note: (text: string) => void): Promise<LoopTurn[]> {
  // Makes what the edge serves beside its code.
  await buildPages()
  const folder = mkdtempSync(join(tmpdir(), 'holds-'))
  const file = join(folder, 'edge.db')
  await migrateEdge({ url: pathToFileURL(file).href, token: '' })
  note(`${amounts.events} events of ${amounts.instances} instances …`)
  const filled = await fillDatabase(file, amounts)
  const edge = await startEdge(file)
  try {
    const target = { ...filled, ...edge, file }
    // Compiles what all of them use.
    for (const row of reads.slice(0, 2)) await row.performRequest(target)
    const found: LoopTurn[] = []
    for (const row of [...reads, ...links, ...changes]) {
      found.push(await measureHold(edge.child, row, target))
      note(formatLine(found.at(-1) as LoopTurn))
    }
    return found.sort((one, other) => other.cpu - one.cpu)
  } finally {
    unlinkHost()
    edge.child.kill('SIGTERM')
    await once(edge.child, 'exit')
    rmSync(folder, { recursive: true })
  }
}

async function startEdge(file: string): Promise<{ child: ChildProcess; url: string; operatorUrl: string }> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = fork(join(import.meta.dirname, 'loop-turns-edge.ts'), {
    execArgv: ['--max-semi-space-size=4', ...process.execArgv],
    env: {
      ...quickEnv,
      ADMIN_TOKEN,
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOWLIST: UNUSED_PLACE,
      NODE_NO_WARNINGS: '1',
      SEAL_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      EDGE_HOST: '127.0.0.1',
      EDGE_PORT: String(port),
      EDGE_METRICS_PORT: String(metricsPort),
      DATABASE_URL: pathToFileURL(file).href,
    },
  })
  await waitForMessage(child, 'ready')
  return { child, url: `http://127.0.0.1:${port}`, operatorUrl: `http://127.0.0.1:${metricsPort}` }
}

/** What the probe answers to this word; the edge itself has messages for its start. */
async function waitForMessage<Said>(child: ChildProcess, word: string): Promise<Said> {
  for (;;) {
    const [message] = await once(child, 'message')
    if (message?.probe === word) return message as Said
  }
}

async function measureHold(
  child: ChildProcess,
  { what, performRequest }: Row,
  target: Target,
): Promise<LoopTurn> {
  const sendCommand = async <Said>(word: string) => {
    const message = waitForMessage<Said>(child, word)
    child.send(word)
    return message
  }
  await sendCommand('begin')
  const began = performance.now()
  await performRequest(target)
  const took = performance.now() - began
  return { what, took, ...(await sendCommand<Omit<LoopTurn, 'what' | 'took'>>('end')) }
}

const formatLine = ({ what, cpu, wall, call, took, cost, rss, sql }: LoopTurn): string =>
  `${what}: ${cpu.toFixed(1)} ms (${wall.toFixed(1)} by the clock, a call ${call.toFixed(1)}) of ${took.toFixed(0)}, costs ${cost.toFixed(0)}; ${rss.toFixed(0)} MiB ${sql.replace(/\s+/g, ' ').slice(0, 60)}`

/** For the terminal. */
export function printLoopTurns(turns: LoopTurn[]): void {
  console.table(
    turns.map(({ what, cpu, call, took, cost, rss }) => ({
      what,
      'held, ms': cpu.toFixed(1),
      'longest call of the database': call.toFixed(1),
      'took, ms': took.toFixed(0),
      'processor time, ms': cost.toFixed(0),
      'MiB at most': rss.toFixed(0),
      reach: `≤ ${MAX_HOLD_MS}`,
      '': cpu <= MAX_HOLD_MS ? 'reached' : 'MISSED',
    })),
  )
}
