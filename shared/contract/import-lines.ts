// The lines of a credential that is imported: the first, one for each row, and the last (contract, "Moving in").

import * as z from 'zod'

/** Whose library has written the rows. */
export const importFormats: string[] = ['baileys']

export const ImportHead = z.object({ format: z.enum(importFormats), account: z.string().max(100) })

export const ImportRow = z.object({
  kind: z.string().min(1).max(50),
  id: z.string().max(300),
  /** As the library writes it to JSON. */
  value: z.unknown().refine((value) => value !== undefined && value !== null, 'is missing'),
})
export type ImportRow = z.infer<typeof ImportRow>

/** Without it the body is torn. `rows` counts the row of `creds` too. */
export const ImportEnd = z.object({ end: z.literal(true), rows: z.int() })
