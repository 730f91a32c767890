// How many days data is kept: the presets, and the range that an operator may choose from.

export const keptDays = {
  events: { preset: 30, atLeast: 1, atMost: 3650 },
  messages: { preset: 30, atLeast: 1, atMost: 3650 },
  /** A trigger keeps every entry for a day at least; the minimum is longer, so the clocks of edge and database may differ. */
  audit: { preset: 400, atLeast: 7, atMost: 36_500 },
}
