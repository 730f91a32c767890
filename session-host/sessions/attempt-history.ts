// The last connection attempts of a session, counted as far as the wait before the next one depends on them.

import { type AttemptEnding, failuresAfterLogin, type Standing } from './reconnect-policy.ts'

export interface AttemptHistory {
  /** Counts an attempt that ended in this way. Answers the counts before it. */
  ended(kind: AttemptEnding): Pick<Standing, 'failures' | 'alike'>
  /** Counts an attempt that failed with an error outside the table of endings. Answers how many have failed in a row. */
  failed(): number
  /** Our own store answered everything that the attempt needs. */
  storeAnswered(): void
  loggedIn(): void
  /** Sets the counts to zero. */
  forgive(): void
}

export function makeAttemptHistory(): AttemptHistory {
  let failures = 0
  /** How the last socket ended, and how many in a row ended like it. */
  let streak: { kind: AttemptEnding; length: number } | undefined
  /** Counted apart: the network saw nothing of these attempts. */
  let storeFailures = 0

  return {
    ended(kind) {
      if (kind === 'store_failed') return { failures, alike: storeFailures++ }
      const alike = streak?.kind === kind ? streak.length : 0
      streak = { kind, length: alike + 1 }
      return { failures: failures++, alike }
    },
    failed: () => ++failures,
    storeAnswered() {
      storeFailures = 0
    },
    loggedIn() {
      failures = failuresAfterLogin(failures)
    },
    forgive() {
      failures = 0
      streak = undefined
    },
  }
}
