// Says since when the database fails, and why, for the operator's Prometheus. It does not depend on the engine: it sees only the results of reads and writes.

import { SECOND } from '@msgnet/shared/date-time.ts'

export const operations = ['read', 'write'] as const
export type Operation = (typeof operations)[number]

/** `full`: its disk is; `busy`: another process holds the write lock; `unanswered`: no response, or none in time. */
const failureKinds = ['full', 'readonly', 'busy', 'unanswered', 'disk_error', 'other'] as const
export type FailureKind = (typeof failureKinds)[number]

/** Hosts renew their leases every ten seconds and the tick writes every minute: after this there was no further attempt. */
const RETRIED_WITHIN = 90 * SECOND

interface FailureSpan {
  since: number
  lastAt: number
}

const failing = new Map<Operation, FailureSpan>()
const lastFailures = new Map<FailureKind, number>()
const counts = new Map<string, number>()

export function recordDatabaseSuccess(operation: Operation): void {
  failing.delete(operation)
}

export function recordDatabaseFailure(operation: Operation, kind: FailureKind): void {
  const now = Date.now()
  const key = `operation="${operation}",kind="${kind}"`
  counts.set(key, (counts.get(key) ?? 0) + 1)
  lastFailures.set(kind, now)
  failing.set(operation, { since: findCurrentFailure(operation, now)?.since ?? now, lastAt: now })
}

function findCurrentFailure(operation: Operation, now: number): FailureSpan | undefined {
  const failure = failing.get(operation)
  return failure && now - failure.lastAt < RETRIED_WITHIN ? failure : undefined
}

/** In the text format of Prometheus. A counter that is there from the start lets `increase` see its first step. */
export function formatDatabaseHealth(): string {
  const now = Date.now()
  const toSeconds = (at: number | undefined) => (at === undefined ? 0 : (now - at) / 1000)
  const pairs = operations.flatMap((operation) =>
    failureKinds.map((kind) => `operation="${operation}",kind="${kind}"`),
  )
  const lines = [
    '# HELP edge_database_failures_total Reads and writes that failed in the database, by reason. Rejected statements are not counted.',
    '# TYPE edge_database_failures_total counter',
    ...pairs.map((pair) => `edge_database_failures_total{${pair}} ${counts.get(pair) ?? 0}`),
    '# HELP edge_database_failing_seconds Time for which every read or write has failed; 0 after a success.',
    '# TYPE edge_database_failing_seconds gauge',
    ...operations.map(
      (operation) =>
        `edge_database_failing_seconds{operation="${operation}"} ${toSeconds(findCurrentFailure(operation, now)?.since)}`,
    ),
    '# HELP edge_database_failure_age_seconds Time since the last failure of this kind.',
    '# TYPE edge_database_failure_age_seconds gauge',
    ...[...lastFailures].map(
      ([kind, at]) => `edge_database_failure_age_seconds{kind="${kind}"} ${toSeconds(at)}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}
