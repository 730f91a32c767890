// The lines of a credential that is imported: the first, one for each row, and the last (contract, "Moving in").

import * as z from 'zod'

/** Whose library has written the rows. */
export const importFormats: string[] = ['baileys']

/** What the library keeps beside `creds`, by the names that it gives to its store. */
export const importKinds = [
  'session',
  'pre-key',
  'sender-key',
  'sender-key-memory',
  'app-state-sync-key',
  'app-state-sync-version',
  'lid-mapping',
  'device-list',
  'tctoken',
  'identity-key',
] as const
export type ImportKind = (typeof importKinds)[number]

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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** A sentence where it is no JSON object. */
export function parseImportLine(line: Uint8Array): object | string {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(line))
  } catch {
    return 'It is not valid JSON in UTF-8.'
  }
  return typeof value === 'object' && value && !Array.isArray(value) ? value : 'It must be a JSON object.'
}
