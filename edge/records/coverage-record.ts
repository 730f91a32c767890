// The coverage of an instance as callers see it: while its session is up, the end moves with the host that reports it.

import { type Coverage, noCoverage, type ReportedCoverage } from '@msgnet/shared/contract/coverage.ts'

/** `heardAt`: the last time that its host was heard, so that the session is known to have been up. */
export function toCoverage(reported: ReportedCoverage | null, heardAt: number): Coverage {
  if (!reported) return noCoverage
  const { since, until, isMoving, gaps } = reported
  return { since, until: isMoving ? Math.max(until, heardAt) : until, gaps }
}
