// Histograms of durations in this isolate, for the operator's Prometheus, with OpenTelemetry's names.

const histogramHelp = {
  http_server_request_duration_seconds: 'Time from a request to its response.',
  db_client_operation_duration_seconds: 'Time of a round trip to the database.',
  edge_database_commit_duration_seconds: 'Time of a commit to the database file. It blocks the event loop.',
  edge_event_loop_delay_seconds: 'Delay of a timer by the event loop.',
  edge_delivery_duration_seconds: 'Time of an attempt to deliver an event.',
} as const

export type HistogramName = keyof typeof histogramHelp

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Series {
  /** For each bound, the number of values up to it and above the bound before. */
  counts: number[]
  sum: number
  count: number
}

/** By name, then by the text of the labels. */
const series = new Map<HistogramName, Map<string, Series>>()

/** `ms` in milliseconds; exported in seconds. The values of a label must be few and must not come from callers. */
export const observeDuration = (name: HistogramName, labels: Record<string, string>, ms: number): void =>
  addValue(findSeries(name, labels), ms)

/** For what is observed often: the series is found once. */
export function createObserver(
  name: HistogramName,
  labels: Record<string, string> = {},
): (ms: number) => void {
  const found = findSeries(name, labels)
  return (ms) => addValue(found, ms)
}

function findSeries(name: HistogramName, labels: Record<string, string>): Series {
  const key = Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join()
  const named = series.get(name) ?? new Map<string, Series>()
  series.set(name, named)
  const entry = named.get(key) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 }
  named.set(key, entry)
  return entry
}

function addValue(entry: Series, ms: number): void {
  const seconds = ms / 1000
  const at = BOUNDS.findIndex((bound) => seconds <= bound)
  if (at >= 0) entry.counts[at] = (entry.counts[at] ?? 0) + 1
  entry.sum += seconds
  entry.count++
}

/** In the text format of Prometheus. */
export function formatHistograms(): string {
  const lines = (Object.keys(histogramHelp) as HistogramName[]).flatMap((name) => [
    `# HELP ${name} ${histogramHelp[name]}`,
    `# TYPE ${name} histogram`,
    ...[...(series.get(name) ?? [])].flatMap(([labels, entry]) => formatSeries(name, labels, entry)),
  ])
  return `${lines.join('\n')}\n`
}

function formatSeries(name: string, labels: string, { counts, sum, count }: Series): string[] {
  let upTo = 0
  const formatBucket = (bound: number | string, value: number) =>
    `${name}_bucket{${labels}${labels && ','}le="${bound}"} ${value}`
  const buckets = BOUNDS.map((bound, at) => {
    upTo += counts[at] ?? 0
    return formatBucket(bound, upTo)
  })
  const braced = labels && `{${labels}}`
  return [
    ...buckets,
    formatBucket('+Inf', count),
    `${name}_sum${braced} ${sum}`,
    `${name}_count${braced} ${count}`,
  ]
}
