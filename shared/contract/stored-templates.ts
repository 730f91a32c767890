// Texts with variables that the operator has stored in `CLOUD_TEMPLATES`, by name and language.

import * as z from 'zod'
import { limits } from './limits.ts'

const Templates = z.record(
  z.string().regex(/^[a-z0-9_]{1,512}$/),
  z.record(
    z.string().regex(/^[A-Za-z]{2,3}(_[A-Za-z]{2,4})?$/),
    z.string().trim().min(1).max(limits.maxTextLength),
  ),
)
export type StoredTemplates = z.infer<typeof Templates>

export const TEMPLATES_EXPECTED =
  'must be a JSON object such as {"order_ready":{"pt_BR":"Olá {{1}}"}}: names in lower case, and a text for each language'

/** Undefined if it is not what is expected. */
export function parseTemplates(setting: string): StoredTemplates | undefined {
  if (setting === '') return {}
  try {
    return Templates.safeParse(JSON.parse(setting)).data
  } catch {
    return undefined
  }
}
