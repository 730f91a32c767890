// Counters of this isolate, including its durable objects, for the operator's Prometheus.

const counterHelp = {
  edge_requests_total: 'Responses, by status.',
  edge_wrong_credentials_total: 'Requests without a valid credential, by client address.',
  edge_unknown_routes_total: 'Requests of unknown callers for an unknown route or method, by client address.',
  edge_open_requests_total: 'Requests of unknown callers for what needs no credential, by client address.',
  edge_refused_reports_total:
    'Reports of hosts that could not be stored, by kind. Such an event is dead with the reason not_storable.',
  edge_rate_limited_total: 'Requests refused by a quota of the instance or a limit of the token.',
  edge_over_rate_total: 'Requests over the limit of their token for one minute, by client address.',
  edge_delivery_attempts_total: 'Attempts to deliver an event, by result.',
  edge_presence_total: 'States of presence, by result. None is stored or repeated.',
  edge_database_calls_total: 'Calls to the database.',
  edge_database_statements_total: 'Statements in those calls.',
  edge_database_commits_total: 'Transactions that wrote.',
  edge_database_failed_writes_total:
    'Writes that failed because the database was locked or full, or did not respond. Rejected statements are not counted.',
  edge_ticks_total: 'Ticks, one a minute, by result.',
  edge_contested_links_total:
    'Links replaced by another process with the same host token, counted from the third in a minute.',
} as const

export type CounterName = keyof typeof counterHelp

/** A runtime that knows its process sets these at each scrape of the metrics. Without one, as on Cloudflare, they have no value. */
const gaugeHelp = {
  edge_resident_memory_bytes: 'Resident memory of the edge process.',
  edge_cpu_seconds_total: 'CPU time that the edge process has used.',
  edge_open_descriptors: 'File descriptors that the edge process has open, including connections.',
  edge_descriptors_limit: 'Maximum number of file descriptors of the edge process.',
  edge_slowest_probe_seconds: 'Maximum delay of a timer by the event loop in the last 15 to 30 seconds.',
  edge_disk_free_bytes: 'Free space on the disk of DATA_DIR.',
  edge_disk_size_bytes: 'Size of the disk of DATA_DIR.',
  edge_last_backup_timestamp_seconds: 'Time at which the last backup was complete; 0 without one.',
} as const

export type GaugeName = keyof typeof gaugeHelp

const gauges = new Map<GaugeName, number>()

/** Ignores a value that is not a number. */
export function setGauge(name: GaugeName, value: number): void {
  if (Number.isFinite(value) && value >= 0) gauges.set(name, value)
}

function formatGauge(name: GaugeName): string[] {
  const value = gauges.get(name)
  return [
    `# HELP ${name} ${gaugeHelp[name]}`,
    `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`,
    ...(value === undefined ? [] : [`${name} ${value}`]),
  ]
}

interface Counter {
  count: number
}

/** By name, then by the text of the labels. */
const counters = new Map<CounterName, Map<string, Counter>>()

export const formatLabels = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '_')}"`)
    .join()

/** The values of a label must be few: each stays until the process ends, or until `mergeCounts`. */
export function count(name: CounterName, labels?: Record<string, string>, by = 1): void {
  findCounter(name, labels).count += by
}

/** For what is counted often: its labels are written once. */
export function createCounter(name: CounterName, labels: Record<string, string>): () => void {
  const counter = findCounter(name, labels)
  return () => {
    counter.count += 1
  }
}

function findCounter(name: CounterName, labels?: Record<string, string>): Counter {
  const named = counters.get(name) ?? new Map<string, Counter>()
  counters.set(name, named)
  const key = labels ? formatLabels(labels) : ''
  const counter = named.get(key) ?? { count: 0 }
  named.set(key, counter)
  return counter
}

/** Adds the count of `from` to `into` and removes `from`. */
export function mergeCounts(
  name: CounterName,
  from: Record<string, string>,
  into: Record<string, string>,
): void {
  const named = counters.get(name)
  const merged = named?.get(formatLabels(from))
  if (merged === undefined) return
  named?.delete(formatLabels(from))
  count(name, into, merged.count)
}

/** In the text format of Prometheus. */
export function formatCounters(): string {
  const lines = (Object.keys(counterHelp) as CounterName[]).flatMap((name) => [
    `# HELP ${name} ${counterHelp[name]}`,
    `# TYPE ${name} counter`,
    ...[...(counters.get(name) ?? [])].map(
      ([labels, { count }]) => `${name}${labels && `{${labels}}`} ${count}`,
    ),
  ])
  const gaugeLines = (Object.keys(gaugeHelp) as GaugeName[]).flatMap(formatGauge)
  return `${[...lines, ...gaugeLines].join('\n')}\n`
}
