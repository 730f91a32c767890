// The type of one kind of delivery in the document.

import type * as z from 'zod'

export interface Delivery {
  summary: string
  envelope: z.ZodType
  /** Envelopes by what they show; the first one is what comes most. */
  examples: Record<string, unknown>
}
