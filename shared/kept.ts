// How long what ages is kept, in days: the presets, and what an operator may choose instead.

export const keptDays = {
  events: { preset: 30, atLeast: 1, atMost: 3650 },
  messages: { preset: 30, atLeast: 1, atMost: 3650 },
  /** No entry younger than a day can be deleted at all: the clocks of edge and database need not agree on that. */
  audit: { preset: 400, atLeast: 7, atMost: 36_500 },
}
