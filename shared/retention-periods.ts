// How long data is retained: the presets in days, and the range that an operator may choose from.

import { DAY } from './date-time.ts'

export const retentionDays = {
  events: { preset: 30, min: 1, max: 3650 },
  messages: { preset: 30, min: 1, max: 3650 },
  /** A trigger retains every entry for at least a day; the minimum is longer, so the clocks of edge and database may differ. */
  audit: { preset: 400, min: 7, max: 36_500 },
}

/** How long a response is stored under its key and may still be corrected. */
export const OUTCOME_RETENTION_MS = DAY
