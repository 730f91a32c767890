// Recorded answers of a gateway to the samples: `npm run samples` records them, and a test compares them.

import recorded from './recorded.json' with { type: 'json' }

export interface RecordedAnswer {
  status: number
  /** Absent if the answer is not JSON, or too long to show. */
  value?: unknown
}

/** Operation → name of the sample (`answer` without a body) → answer. */
export type Recorded = Record<string, Record<string, RecordedAnswer>>

export const recordedAnswer = (operation: string, sample: string): RecordedAnswer | undefined =>
  (recorded as Recorded)[operation]?.[sample]

/** The samples of one status; undefined if none was recorded. */
export function recordedSamples(operation: string, status: number): Record<string, unknown> | undefined {
  const answers = Object.entries((recorded as Recorded)[operation] ?? {})
  const shown = answers.filter(([, answer]) => answer.status === status && answer.value !== undefined)
  return shown.length > 0 ? Object.fromEntries(shown.map(([name, { value }]) => [name, value])) : undefined
}
