// How long data is kept: the presets in days, and the range that an operator may choose from.

import { DAY } from './clock.ts'

export const keptDays = {
  events: { preset: 30, atLeast: 1, atMost: 3650 },
  messages: { preset: 30, atLeast: 1, atMost: 3650 },
  /** A trigger keeps every entry for a day at least; the minimum is longer, so the clocks of edge and database may differ. */
  audit: { preset: 400, atLeast: 7, atMost: 36_500 },
}

/** How long an answer is kept under its key and may still be corrected. */
export const TRACKED_MS = DAY
