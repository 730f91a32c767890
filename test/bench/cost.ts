// What one kind of operation costs: processor time of edge and host, and how it is shown.

import type { World } from '../world.ts'
import type { CostStage } from './cost-stage.ts'
import { readProcessTime } from './process-time.ts'

/** What is counted of the two stores, by the name of its column. */
const counters = {
  'edge calls': ['edgeMetricsUrl', 'edge_database_calls_total'],
  'edge statements': ['edgeMetricsUrl', 'edge_database_statements_total'],
  'edge commits': ['edgeMetricsUrl', 'edge_database_commits_total'],
  'host statements': ['metricsUrl', 'host_store_statements_total'],
  'host commits': ['metricsUrl', 'host_store_commits_total'],
} as const
type Counter = keyof typeof counters
const counted = Object.keys(counters) as Counter[]
export const parts = ['edge', 'session host'] as const
export type Part = (typeof parts)[number]

/** A row of the table: does its operations on a stage and answers what they cost. */
export interface Row {
  what: string
  measureCost(stage: CostStage): Promise<Cost>
}

export interface Reach {
  ratio?: number
  ms?: number
}

export type NamedCost = Cost & { what: string }

export interface Cost {
  /** Milliseconds of processor time an operation. */
  total: number
  byPart: Record<Part, number>
  /** Of the stores of edge and host, an operation. The host counts what it writes. */
  stores: Record<Counter, number>
  /** Of the library alone for the same thing, where it can do it. */
  alone?: number
  ratio?: number
  /** Milliseconds that one took, where they went one at a time or at a steady pace. */
  p50?: number
  p99?: number
  /** What must be reached: a ratio against the library, milliseconds of processor time, or both. */
  reach?: Reach
}

/** Processor time of the parts over `work`, divided by its operations. `work` ends when all it has caused is over. */
export async function measureWork(
  { world, around }: CostStage,
  operations: number,
  work: () => Promise<void>,
): Promise<Cost> {
  const readTimes = () =>
    parts.map((part) => world.run.parts[part]).map((pid) => (pid ? readProcessTime(pid) : 0))
  const had = await readStoreCounts(world)
  const before = readTimes()
  await around(work)
  const spent = readTimes().map((time, at) => (time - (before[at] ?? 0)) / operations)
  const byPart = Object.fromEntries(parts.map((part, at) => [part, spent[at] ?? 0])) as Record<Part, number>
  const has = await readStoreCounts(world)
  const stores = Object.fromEntries(
    counted.map((name) => [name, (has[name] - had[name]) / operations]),
  ) as Cost['stores']
  return { stores, total: spent.reduce((sum, one) => sum + one, 0), byPart }
}

/** What the metrics of edge and host have counted so far. */
export async function readStoreCounts({ run }: Pick<World, 'run'>): Promise<Cost['stores']> {
  const urls = ['edgeMetricsUrl', 'metricsUrl'] as const
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${run[url]}/metrics`)).text()))
  const readCounter = (name: Counter) => {
    const [url, series] = counters[name]
    const text = texts[urls.indexOf(url)] ?? ''
    const value = new RegExp(`^${series} (\\d+)`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`no metric ${series}`)
    return Number(value)
  }
  return Object.fromEntries(counted.map((name) => [name, readCounter(name)])) as Cost['stores']
}

const isReached = ({ total, ratio = 0, reach: { ratio: times, ms } = {} }: Cost): boolean =>
  (times === undefined || ratio <= times) && (ms === undefined || total <= ms)

const describeReach = ({ ratio, ms }: Reach): string =>
  [ratio && `${ratio} ×`, ms && `${Number(ms.toFixed(2))} ms`]
    .filter(Boolean)
    .map((bound) => `≤ ${bound}`)
    .join(', ')

/** For the terminal. */
export function printCosts(costs: NamedCost[]): void {
  const formatMs = (value: number | undefined, digits = 2) => value?.toFixed(digits) ?? ''
  console.table(
    costs.map((cost) => ({
      'CPU ms an operation': cost.what,
      total: formatMs(cost.total),
      ...Object.fromEntries(parts.map((part) => [part, formatMs(cost.byPart[part])])),
      library: formatMs(cost.alone),
      ratio: formatMs(cost.ratio, 1),
      'to reach': describeReach(cost.reach ?? {}),
      '': isReached(cost) ? 'reached' : 'MISSED',
      'p50 ms': formatMs(cost.p50, 0),
      'p99 ms': formatMs(cost.p99, 0),
      ...Object.fromEntries(counted.map((name) => [name, formatMs(cost.stores[name], 1)])),
    })),
  )
}
