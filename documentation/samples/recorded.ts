// What a gateway answered when the samples were asked of it: `npm run samples` records them, a test asks again.

import recorded from './recorded.json' with { type: 'json' }

export interface RecordedAnswer {
  status: number
  /** Absent where the answer is no JSON, or too long to be shown. */
  value?: unknown
}

/** Operation → what its sample shows (`answer` where it takes no body) → what was answered. */
export type Recorded = Record<string, Record<string, RecordedAnswer>>

export const recordedAnswer = (operation: string, sample: string): RecordedAnswer | undefined =>
  (recorded as Recorded)[operation]?.[sample]

/** Of one status; undefined when none was recorded. */
export function recordedSamples(operation: string, status: number): Record<string, unknown> | undefined {
  const answers = Object.entries((recorded as Recorded)[operation] ?? {})
  const shown = answers.filter(([, answer]) => answer.status === status && answer.value !== undefined)
  return shown.length > 0 ? Object.fromEntries(shown.map(([name, { value }]) => [name, value])) : undefined
}
