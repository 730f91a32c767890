// What the document tells of one kind of delivery.

import type * as z from 'zod'

export interface Delivery {
  summary: string
  envelope: z.ZodType
  example: unknown
}
