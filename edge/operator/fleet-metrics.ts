// Formats the counts of hosts, instances and waiting events in the database as gauges in the text format of Prometheus.

import { formatLabels } from '../observability/counters.ts'
import {
  type Backlog,
  type Fleet,
  type InstanceCount,
  lossReasons,
  type WebhookState,
  webhookStates,
} from '../store/fleet-queries.ts'

type Sample = [labels: Record<string, string>, value: number]

const formatGauge = (name: string, help: string, samples: Sample[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  ...samples.map(([labels, value]) => `${name}{${formatLabels(labels)}} ${value}`),
]

const addUp = (values: number[]): number => values.reduce((total, value) => total + value, 0)

export function formatFleet({ hosts, instances, backlogs }: Fleet): string {
  const lines = [
    ...formatGauge(
      'edge_host_live',
      '1 while the lease of this host is valid, so it is linked to an edge. A host that was drained and has left has no value.',
      hosts.map(({ id, region, live }) => [{ host: id, region }, live ? 1 : 0]),
    ),
    ...formatGauge(
      'edge_instances',
      'Instances by state. host_away: the instance should be connected, but its host has no lease.',
      instances.map(({ state, reason, instances: value }) => [{ state, reason }, value]),
    ),
    ...formatGauge(
      'edge_instances_lost',
      'Instances that lost their device in the last hour and are not linked again, by reason.',
      lossReasons.map((reason) => [{ reason }, countLost(instances, reason)]),
    ),
    ...formatBacklogs(backlogs),
  ]
  return `${lines.join('\n')}\n`
}

const countLost = (instances: InstanceCount[], reason: string): number =>
  addUp(instances.filter((one) => one.reason === reason).map(({ lost }) => lost))

function formatBacklogs(backlogs: Backlog[]): string[] {
  const kinds = [...new Set(backlogs.map(({ kind }) => kind))]
  const sampleByKind = (value: (backlogs: Backlog[]) => number): Sample[] =>
    kinds.map((kind) => [{ instance_kind: kind }, value(backlogs.filter((one) => one.kind === kind))])
  const sampleByState = (value: (backlogs: Backlog[]) => number): Sample[] =>
    webhookStates.map((state: WebhookState) => [
      { state },
      value(backlogs.filter(({ webhook }) => webhook === state)),
    ])
  const findOldestAge = (some: Backlog[]) => Math.max(0, ...some.map(({ age }) => age))
  return [
    ...formatGauge(
      'edge_delivery_queue_depth',
      'Events that are not delivered yet, at each webhook that waits for them; of those that were never tried, up to 100 at each webhook beside the first.',
      sampleByKind((some) => addUp(some.map(({ events }) => events))),
    ),
    ...formatGauge(
      'edge_delivery_queue_age_seconds',
      'Age of the oldest event that is not delivered yet.',
      sampleByKind(findOldestAge),
    ),
    ...formatGauge(
      'edge_webhooks',
      'Instances by the state of their webhook, of several the worst. paused: the caller disabled it. gone: the receiver responded with 410.',
      sampleByState((some) => addUp(some.map(({ instances }) => instances))),
    ),
    ...formatGauge(
      'edge_webhook_oldest_waiting_seconds',
      'Age of the oldest event that is not delivered yet, by the state of its webhook.',
      sampleByState(findOldestAge),
    ),
  ]
}
