// Recorded responses of a gateway to the samples: `npm run samples` records them, and a test compares them.

import recorded from './recorded.json' with { type: 'json' }

export interface RecordedResponse {
  status: number
  /** Absent if the answer is not JSON, or too long to show. */
  value?: unknown
}

/** Operation → name of the sample (`answer` without a body) → answer. */
export type RecordedResponses = Record<string, Record<string, RecordedResponse>>

export const findRecordedResponse = (operation: string, sample: string): RecordedResponse | undefined =>
  (recorded as RecordedResponses)[operation]?.[sample]

/** The samples of one status; undefined if none was recorded. */
export function listRecordedSamples(operation: string, status: number): Record<string, unknown> | undefined {
  const answers = Object.entries((recorded as RecordedResponses)[operation] ?? {})
  const shown = answers.filter(([, answer]) => answer.status === status && answer.value !== undefined)
  return shown.length > 0 ? Object.fromEntries(shown.map(([name, { value }]) => [name, value])) : undefined
}
