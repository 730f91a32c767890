// A point in time in a query.

import * as z from 'zod'

export const Instant = z.iso.datetime({
  offset: true,
  error: 'must be a date and time such as 2026-09-17T09:00:00Z',
})
