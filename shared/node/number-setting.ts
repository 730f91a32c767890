// Whole numbers among the variables of the gateway, and of a session host that runs alone.

import * as z from 'zod'

/** Blanks would be read as 0, which is no limit where 0 is allowed. */
export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/\S/, 'must be a whole number').pipe(z.coerce.number<string>().int().min(min).max(max))
