// Responses with admin tokens.

import * as z from 'zod'
import { Scope } from '../admin-scope.ts'
import { DateTime, DateTimeOrNever } from './response-fields.ts'

export const AdminToken = z.object({
  id: z.uuid(),
  name: z.string(),
  scope: Scope,
  createdAt: DateTime,
  renewedAt: DateTimeOrNever,
  expiresAt: DateTimeOrNever,
  previousUntil: DateTimeOrNever.describe(
    'The time until which the value before the last renewal is valid too.',
  ),
})
export type AdminToken = z.infer<typeof AdminToken>

export const TokenIssued = z.object({
  token: z.string().describe('`mga_` and 43 characters. Shown only once; only its digest is stored.'),
  record: AdminToken,
})
export type TokenIssued = z.infer<typeof TokenIssued>

export const TokenList = z.object({ tokens: z.array(AdminToken) })
export type TokenList = z.infer<typeof TokenList>

export const TokenDeleted = z.object({ response: z.string() })
export type TokenDeleted = z.infer<typeof TokenDeleted>
