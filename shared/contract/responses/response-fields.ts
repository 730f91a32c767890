// Fields that several records of the API share.

import * as z from 'zod'

export const DateTime = z.iso.datetime()

/** A date-time, or the empty string for "never". */
export const DateTimeOrNever = z.union([DateTime, z.literal('')])

export const Milliseconds = z.int().describe('Milliseconds since the epoch.')

export const Username = z
  .string()
  .optional()
  .describe("The person's username, without `@`, as the network sent it last; absent if it is not known.")
