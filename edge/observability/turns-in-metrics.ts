// The metrics of what callers share in this isolate: who waits for what, what it costs, and who was refused.

import type { FairTurns } from '@msgnet/shared/fair-turns.ts'
import { formatLabels } from './counters.ts'

const byWork = new Map<string, FairTurns>()

/** `work`: its name in the metrics. */
export function registerTurns(work: string, turns: FairTurns): FairTurns {
  byWork.set(work, turns)
  return turns
}

type Sample = [labels: Record<string, string>, value: number]

const formatMetric = (name: string, type: 'gauge' | 'counter', help: string, samples: Sample[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(([labels, value]) => `${name}{${formatLabels(labels)}} ${value}`),
]

/** In the text format of Prometheus. Owners are those that wait, or were refused in the last quarter of an hour. */
export function formatTurns(): string {
  const all = [...byWork].map(([work, turns]) => ({ work, turns, owners: turns.listOwners() }))
  const lines = [
    ...formatMetric(
      'edge_turns_under_way',
      'gauge',
      'Turns at shared work that are under way.',
      all.map(({ work, turns }) => [{ work }, turns.underWay]),
    ),
    ...formatMetric(
      'edge_turns_waiting',
      'gauge',
      'Turns at shared work that wait, by the owner of the token.',
      all.flatMap(({ work, owners }) =>
        owners
          .filter(({ waiting }) => waiting > 0)
          .map(({ owner, waiting }): Sample => [{ work, owner }, waiting]),
      ),
    ),
    ...formatMetric(
      'edge_turns_cost_total',
      'counter',
      'What shared work has cost, in bytes; `bodies`, `streams`, `exports` and `lists` in milliseconds.',
      all.map(({ work, turns }) => [{ work }, turns.cost]),
    ),
    ...formatMetric(
      'edge_turns_refused_total',
      'counter',
      'Turns that were refused, by owner (of the token, or the address) and reason: too many waiting, the minute used up, no time left.',
      all.flatMap(({ work, owners }) =>
        owners.flatMap(({ owner, refused }) =>
          Object.entries(refused)
            .filter(([, count]) => count > 0)
            .map(([reason, count]): Sample => [{ work, owner, reason }, count]),
        ),
      ),
    ),
  ]
  return `${lines.join('\n')}\n`
}
