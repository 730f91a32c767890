// For each alert the samples of an outage, four a minute, and the minutes in which Prometheus must say that it fires and that it ended.

/** Values in turn, each so many times. */
const formatSteps = (...parts: [value: number, times: number][]): string =>
  parts.map(([value, times]) => `${value}x${times - 1}`).join(' ')

/** A counter that grows by so much a sample, so many times, from where the part before has left it. */
function formatGrowth(...parts: [by: number, times: number][]): string {
  let value = 0
  return parts
    .map(([by, times]) => {
      const text = `${value}+${by}x${times - 1}`
      value += by * times
      return text
    })
    .join(' ')
}

interface Case {
  alert: string
  series: Record<string, string>
  /** Seconds after the first sample. The outage begins at 60. */
  quiet: number
  firing: number
  ended: number
}

/** One that is well for a minute, ill for `ill` samples, and well again. */
const createGaugeCase = (
  alert: string,
  series: string,
  [well, ill]: [number, number],
  times: number,
): Case => ({
  alert,
  series: { [series]: formatSteps([well, 4], [ill, times], [well, 20]) },
  quiet: 45,
  firing: 45 + times * 15,
  ended: 60 + times * 15,
})

const edge = 'instance="edge:9465",job="msgnet-edge"'
const host = 'instance="host:9464",job="msgnet-host"'
const other = 'instance="other:9464",job="msgnet-host"'
const LATE = { quiet: 45, firing: 60 + 8 * 60, ended: 60 + 11 * 60 }
const createOutageCase = (alert: string, series: Record<string, [well: number, ill: number]>): Case => ({
  alert,
  ...LATE,
  series: Object.fromEntries(
    Object.entries(series).map(([name, [well, ill]]) => [
      name,
      formatGrowth([well, 4], [ill, 32], [well, 20]),
    ]),
  ),
})

export const cases: Case[] = [
  createGaugeCase('EdgeDown', `up{${edge}}`, [1, 0], 4),
  createGaugeCase('HostDown', `up{${host}}`, [1, 0], 4),
  createGaugeCase('HostAway', `edge_host_live{host="a",region="here",${edge}}`, [1, 0], 4),
  createGaugeCase('HostNotLinked', `host_linked{${host}}`, [1, 0], 6),
  createGaugeCase('HostWithoutLease', `host_leased{${host}}`, [1, 0], 6),
  createGaugeCase('EdgeNotHeard', `host_edge_heard_age_seconds{${host}}`, [1, 26], 2),
  createOutageCase('InstanceAtItsBound', {
    [`host_turns_refused_total{work="reads",owner="i",reason="cost",${host}}`]: [0, 5],
  }),
  createGaugeCase('EventLoopLate', `nodejs_eventloop_lag_p99_seconds{${host}}`, [0.01, 0.3], 24),
  createGaugeCase('HostMemoryHigh', `process_resident_memory_bytes{${host}}`, [1e8, 31e8], 24),
  createGaugeCase('EdgeLate', `edge_slowest_probe_seconds{${edge}}`, [0.01, 1.5], 10),
  createGaugeCase('EdgeMemoryHigh', `edge_resident_memory_bytes{${edge}}`, [1e8, 21e8], 24),
  {
    ...createGaugeCase('SessionsDown', `edge_instances{state="host_away",reason="",${edge}}`, [0, 3], 12),
    series: {
      [`edge_instances{state="host_away",reason="",${edge}}`]: formatSteps([0, 4], [3, 12], [0, 20]),
      [`edge_instances{state="connected",reason="",${edge}}`]: formatSteps([10, 4], [7, 12], [10, 20]),
      [`edge_instances{state="disconnected",reason="by_request",${edge}}`]: formatSteps([50, 36]),
    },
  },
  createGaugeCase('DeviceBanned', `edge_instances_lost{reason="banned",${edge}}`, [0, 1], 2),
  createGaugeCase('DeviceLoggedOut', `edge_instances_lost{reason="logged_out",${edge}}`, [0, 1], 2),
  createGaugeCase('InstanceGap', `host_instance_gaps{state="partial",${host}}`, [0, 1], 64),
  createGaugeCase(
    'VersionOutdated',
    `edge_instances{state="connecting",reason="outdated",${edge}}`,
    [0, 2],
    2,
  ),
  {
    ...createGaugeCase('CanaryRefused', '', [0, 1], 4),
    // The series is there while the last message was refused.
    series: {
      [`host_canary_refused{path="lid",sender="a",code="463",said="",${host}}`]: '_x4 1x3 stale _x20',
    },
  },
  createGaugeCase('CanaryLost', `host_canary_ok{path="file",sender="a",${host}}`, [1, 0], 8),
  {
    ...createGaugeCase('CanaryRests', '', [1, 0], 48),
    // The second instance moves to another host: each is connected, and nothing can be tried.
    series: {
      [`host_canary_connected{sender="a",${host}}`]: formatSteps([1, 72]),
      [`host_canary_connected{sender="b",${host}}`]: formatSteps([1, 4], [0, 48], [1, 20]),
      [`host_canary_connected{sender="a",${other}}`]: formatSteps([0, 72]),
      [`host_canary_connected{sender="b",${other}}`]: formatSteps([0, 4], [1, 48], [0, 20]),
    },
  },
  createGaugeCase('OutboxGrowsOld', `host_outbox_age_seconds{${host}}`, [0, 70], 4),
  createGaugeCase('ScheduledOverdue', `host_scheduled_overdue_seconds{${host}}`, [0, 1000], 8),
  createGaugeCase(
    'DeliveryQueueOld',
    `edge_webhook_oldest_waiting_seconds{state="active",${edge}}`,
    [10, 3700],
    6,
  ),
  createGaugeCase('WebhookGone', `edge_webhook_oldest_waiting_seconds{state="gone",${edge}}`, [0, 90], 2),
  createGaugeCase('DatabaseDiskFull', `edge_database_failure_age_seconds{kind="full",${edge}}`, [300, 3], 2),
  createGaugeCase(
    'DatabaseTakesNoWrites',
    `edge_database_failing_seconds{operation="write",${edge}}`,
    [0, 35],
    2,
  ),
  createGaugeCase('DatabaseRefuses', `edge_database_failing_seconds{operation="read",${edge}}`, [0, 25], 2),
  {
    ...createGaugeCase('DiskAlmostFull', `host_disk_free_bytes{${host}}`, [5e9, 5e8], 4),
    series: {
      [`host_disk_free_bytes{${host}}`]: formatSteps([5e9, 4], [5e8, 4], [5e9, 20]),
      [`host_disk_size_bytes{${host}}`]: formatSteps([20e9, 28]),
    },
  },
  createGaugeCase('HostStoreFails', `host_store_failed{${host}}`, [0, 1], 12),
  createGaugeCase('MediaNotStored', `host_media_waiting_age_seconds{${host}}`, [0, 1000], 8),
  createGaugeCase('DiskFull', `edge_disk_free_bytes{${edge}}`, [5e9, 1e8], 2),
  {
    alert: 'BackupOld',
    // Time begins at 0 there: the last backup was made 26 hours before the first minute, the next one after an hour and a half.
    series: {
      [`edge_last_backup_timestamp_seconds{${edge}}`]: formatSteps([60 - 26 * 3600, 360], [5400, 40]),
    },
    quiet: 3600,
    firing: 3780,
    ended: 5430,
  },
  createOutageCase('ContestedLink', { [`edge_contested_links_total{host="a",${edge}}`]: [0, 1] }),
  createOutageCase('ReconnectStorm', { [`host_session_reconnects_total{reason="lost",${host}}`]: [0, 30] }),
  createOutageCase('ActionsUnknown', {
    [`host_actions_total{outcome="unknown",${host}}`]: [0, 2],
    [`host_actions_total{outcome="done",${host}}`]: [10, 10],
  }),
  createOutageCase('DeliveriesFail', {
    [`edge_delivery_attempts_total{result="failed",${edge}}`]: [0, 9],
    [`edge_delivery_attempts_total{result="delivered",${edge}}`]: [9, 3],
  }),
  createOutageCase('ServerErrors', {
    [`edge_requests_total{status="502",${edge}}`]: [0, 2],
    [`edge_requests_total{status="200",${edge}}`]: [10, 10],
  }),
  createOutageCase('WrongCredentials', {
    [`edge_wrong_credentials_total{address="192.0.2.1",${edge}}`]: [0, 100],
  }),
  {
    alert: 'DatabaseSlow',
    ...LATE,
    series: {
      [`db_client_operation_duration_seconds_bucket{le="0.5",${edge}}`]: formatGrowth(
        [10, 4],
        [8, 32],
        [10, 20],
      ),
      [`db_client_operation_duration_seconds_bucket{le="1",${edge}}`]: formatGrowth([10, 56]),
      [`db_client_operation_duration_seconds_bucket{le="+Inf",${edge}}`]: formatGrowth([10, 56]),
    },
  },
]

const expectAlert = (alert: string, at: number, firing: boolean) => ({
  expr: `count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"})`,
  eval_time: `${at}s`,
  exp_samples: firing ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
})

/** The input of `promtool test rules`. */
export const buildUnitTests = (rulesFile: string) => ({
  rule_files: [rulesFile],
  evaluation_interval: '15s',
  tests: cases.map(({ alert, series, quiet, firing, ended }) => ({
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      expectAlert(alert, quiet, false),
      expectAlert(alert, firing, true),
      expectAlert(alert, ended, false),
    ],
  })),
})
