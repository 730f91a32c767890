// What an operator's Prometheus reads of the edge: counters of this isolate, the durable objects' included.

import { MINUTE } from '../shared/clock.ts'

const helps = {
  edge_requests_total: 'Requests answered, by status.',
  edge_wrong_credentials_total: 'Requests without a valid credential, by the address they came from.',
  edge_unknown_routes_total:
    'Requests of no known caller for no route, or by no method of it, by the address they came from.',
  edge_open_requests_total:
    'Requests of no known caller for what needs no credential, by the address they came from.',
  edge_refused_reports_total:
    'Reports of hosts that could not be stored, by kind. An event is dead then, as not_storable.',
  edge_rate_limited_total: 'Requests refused by a quota of their instance.',
  edge_delivery_attempts_total: 'Attempts to deliver an event, by what came of them.',
  edge_database_calls_total: 'Calls of the database.',
  edge_database_statements_total: 'Statements in those calls.',
  edge_database_commits_total: 'Transactions that wrote.',
  edge_database_failed_writes_total:
    'Writes that failed by the database: it stayed locked, was full or did not answer. Not those whose statements it refused.',
  edge_contested_links_total:
    'Links displaced by another process with the same host token, from the third in a minute on.',
} as const

export type CounterName = keyof typeof helps

/** Told by whoever supervises the process with each tick. Where nobody does, as on Cloudflare, they have no value. */
const toldHelps = {
  edge_resident_memory_bytes: "Memory that the edge's process held at the last tick.",
  edge_slowest_probe_seconds:
    'Longest that an empty answer took in the minute before the last tick, asked for every five seconds: how late the event loop was.',
} as const

type ToldName = keyof typeof toldHelps

/** Nobody tells it any more: it is not as it was. */
const TOLD_MS = 3 * MINUTE

const told = new Map<ToldName, { value: number; at: number }>()

/** What is no number is passed over. */
export function tell(name: ToldName, value: number): void {
  if (Number.isFinite(value) && value >= 0) told.set(name, { value, at: Date.now() })
}

function toldText(name: ToldName): string[] {
  const { value, at } = told.get(name) ?? { value: 0, at: 0 }
  const lines = Date.now() - at < TOLD_MS ? [`${name} ${value}`] : []
  return [`# HELP ${name} ${toldHelps[name]}`, `# TYPE ${name} gauge`, ...lines]
}

/** By name, then by labels as they are written. */
const counters = new Map<CounterName, Map<string, number>>()

const written = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '_')}"`)
    .join()

/** The values of a label must be few: each is kept until the process ends, or until `merge`. */
export function count(name: CounterName, labels?: Record<string, string>, by = 1): void {
  const values = counters.get(name) ?? new Map<string, number>()
  const key = labels ? written(labels) : ''
  values.set(key, (values.get(key) ?? 0) + by)
  counters.set(name, values)
}

/** What was counted for one counts for the other from now on. */
export function merge(name: CounterName, from: Record<string, string>, into: Record<string, string>): void {
  const values = counters.get(name)
  const counted = values?.get(written(from))
  if (counted === undefined) return
  values?.delete(written(from))
  count(name, into, counted)
}

/** In the text format of Prometheus. */
export function metricsText(): string {
  const lines = (Object.keys(helps) as CounterName[]).flatMap((name) => [
    `# HELP ${name} ${helps[name]}`,
    `# TYPE ${name} counter`,
    ...[...(counters.get(name) ?? [])].map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`),
  ])
  const gauges = (Object.keys(toldHelps) as ToldName[]).flatMap(toldText)
  return `${[...lines, ...gauges].join('\n')}\n`
}
