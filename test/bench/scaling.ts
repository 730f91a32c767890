// What so many instances would ask of each part, from costs that were measured: `cli/node test/bench/scaling.ts`.

/** Milliseconds of processor time an operation, when a part is busy, measured on 2026-11-23. The edge has its database in it. */
const COSTS = {
  send: { edge: 1.8, host: 2.9 },
  event: { edge: 0.6, host: 1.2 },
}
/** Assumed: a day of one instance, and how much busier the busiest minute is than the average. */
const DAY = { sends: 100, events: 300 }
const PEAK = 5
/** A part that is busier than this answers late. */
const MAX_BUSY = 0.6
const SESSIONS_A_HOST = 500

const parts = ['edge', 'host'] as const
const convertToRate = (aDay: number, instances: number) => (aDay * PEAK * instances) / 86_400

export interface Need {
  instances: number
  sends: number
  events: number
  /** Processor cores at the busiest minute. */
  cores: Record<(typeof parts)[number], number>
  hosts: number
}

export function computeNeed(instances: number): Need {
  const sends = convertToRate(DAY.sends, instances)
  const events = convertToRate(DAY.events, instances)
  const computeCores = (part: (typeof parts)[number]) =>
    (sends * COSTS.send[part] + events * COSTS.event[part]) / 1000 / MAX_BUSY
  return {
    instances,
    sends,
    events,
    cores: { edge: computeCores('edge'), host: computeCores('host') },
    hosts: Math.ceil(instances / SESSIONS_A_HOST),
  }
}

/** As the rows of docs/run/scaling.md. */
export const formatRow = ({ instances, sends, events, cores, hosts }: Need): string =>
  `| ${[
    instances.toLocaleString('en'),
    ...[sends, events, cores.edge, cores.host].map((value) => value.toFixed(1)),
    hosts.toLocaleString('en'),
  ].join(' | ')} |`

export const SIZES = [1000, 10_000, 100_000, 1_000_000]

if (import.meta.main) for (const size of SIZES) console.log(formatRow(computeNeed(size)))
