// The last connection attempts of a session, counted as far as the wait before the next one depends on them.

import { type AttemptEnding, countFailuresAfterLogin, type Standing } from './reconnect-policy.ts'

export interface AttemptHistory {
  /** Counts an attempt that ended in this way. Answers the counts before it. */
  recordEnding(kind: AttemptEnding): Pick<Standing, 'failures' | 'alike'>
  /** Counts an attempt that failed with an error outside the table of endings. Answers how many have failed in a row. */
  recordFailure(): number
  /** Our own store answered everything that the attempt needs. */
  recordStoreSuccess(): void
  recordLogin(): void
  /** Sets the counts to zero. */
  resetCounts(): void
}

export function createAttemptHistory(): AttemptHistory {
  let failures = 0
  /** How the last socket ended, and how many in a row ended like it. */
  let streak: { kind: AttemptEnding; length: number } | undefined
  /** Counted apart: the network saw nothing of these attempts. */
  let storeFailures = 0

  return {
    recordEnding(kind) {
      if (kind === 'store_failed') return { failures, alike: storeFailures++ }
      const alike = streak?.kind === kind ? streak.length : 0
      streak = { kind, length: alike + 1 }
      return { failures: failures++, alike }
    },
    recordFailure: () => ++failures,
    recordStoreSuccess() {
      storeFailures = 0
    },
    recordLogin() {
      failures = countFailuresAfterLogin(failures)
    },
    resetCounts() {
      failures = 0
      streak = undefined
    },
  }
}
