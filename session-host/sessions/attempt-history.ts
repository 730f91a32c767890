// What a session remembers of its last connection attempts: as much as the wait before the next one depends on.

import { type AttemptEnding, failuresAfterLogin, type Standing } from './reconnect-policy.ts'

export interface AttemptHistory {
  /** An attempt has ended so. Answers what was before it. */
  ended(kind: AttemptEnding): Pick<Standing, 'failures' | 'alike'>
  /** An attempt failed by an error that is no ending of its own. Answers how many have failed in a row. */
  failed(): number
  /** Our own store has given what the attempt needs. */
  storeAnswered(): void
  loggedIn(): void
  /** The next failure is the first. */
  forgive(): void
}

export function makeAttemptHistory(): AttemptHistory {
  let failures = 0
  /** How the last sockets ended, and how many of them in a row. */
  let streak: { kind: AttemptEnding; length: number } | undefined
  /** Apart from the others: what the network has seen is the same after them. */
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
