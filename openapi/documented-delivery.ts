// The type of one kind of delivery in the document.

import type * as z from 'zod'

export interface Delivery {
  summary: string
  envelope: z.ZodType
  example: unknown
}
