// Counters of this isolate, including its durable objects, for the operator's Prometheus.

const counterHelp = {
  edge_requests_total: 'Requests answered, by status.',
  edge_wrong_credentials_total: 'Requests without a valid credential, by the address they came from.',
  edge_unknown_routes_total:
    'Requests of no known caller for no route, or by no method of it, by the address they came from.',
  edge_open_requests_total:
    'Requests of no known caller for what needs no credential, by the address they came from.',
  edge_refused_reports_total:
    'Reports of hosts that could not be stored, by kind. An event is dead then, as not_storable.',
  edge_rate_limited_total: 'Requests refused by a quota of their instance or a limit of their token.',
  edge_over_rate_total: 'Requests over what their token may make in a minute, by the address they came from.',
  edge_delivery_attempts_total: 'Attempts to deliver an event, by what came of them.',
  edge_database_calls_total: 'Calls of the database.',
  edge_database_statements_total: 'Statements in those calls.',
  edge_database_commits_total: 'Transactions that wrote.',
  edge_database_failed_writes_total:
    'Writes that failed by the database: it stayed locked, was full or did not answer. Not those whose statements it refused.',
  edge_ticks_total: "The minute's ticks, by what came of them.",
  edge_contested_links_total:
    'Links displaced by another process with the same host token, from the third in a minute on.',
} as const

export type CounterName = keyof typeof counterHelp

/** A runtime that knows its process sets these at each scrape of the metrics. Without one, as on Cloudflare, they have no value. */
const gaugeHelp = {
  edge_resident_memory_bytes: "Memory that the edge's process holds.",
  edge_cpu_seconds_total: "Processor time that the edge's process has used.",
  edge_open_descriptors: "Files and connections that the edge's process has open.",
  edge_descriptors_limit: 'As many as it may have open.',
  edge_slowest_probe_seconds:
    'Longest that the event loop kept a timer waiting in the last 15 to 30 seconds: how late it was.',
  edge_disk_free_bytes: "Space that its DATA_DIR's disk has for it.",
  edge_disk_size_bytes: "Size of its DATA_DIR's disk.",
  edge_last_backup_timestamp_seconds: 'When the last backup was complete; 0 if there was none.',
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

/** By name, then by the text of the labels. */
const counters = new Map<CounterName, Map<string, number>>()

const formatLabels = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '_')}"`)
    .join()

/** The values of a label must be few: each stays until the process ends, or until `mergeCounts`. */
export function count(name: CounterName, labels?: Record<string, string>, by = 1): void {
  const values = counters.get(name) ?? new Map<string, number>()
  const key = labels ? formatLabels(labels) : ''
  values.set(key, (values.get(key) ?? 0) + by)
  counters.set(name, values)
}

/** Adds the count of `from` to `into` and removes `from`. */
export function mergeCounts(
  name: CounterName,
  from: Record<string, string>,
  into: Record<string, string>,
): void {
  const values = counters.get(name)
  const counted = values?.get(formatLabels(from))
  if (counted === undefined) return
  values?.delete(formatLabels(from))
  count(name, into, counted)
}

/** In the text format of Prometheus. */
export function formatCounters(): string {
  const lines = (Object.keys(counterHelp) as CounterName[]).flatMap((name) => [
    `# HELP ${name} ${counterHelp[name]}`,
    `# TYPE ${name} counter`,
    ...[...(counters.get(name) ?? [])].map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`),
  ])
  const gaugeLines = (Object.keys(gaugeHelp) as GaugeName[]).flatMap(formatGauge)
  return `${[...lines, ...gaugeLines].join('\n')}\n`
}
