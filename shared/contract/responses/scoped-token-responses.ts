// Responses with the further tokens of an instance.

import * as z from 'zod'
import { TokenScope } from '../scoped-token.ts'
import { DateTime, DateTimeOrNever } from './response-fields.ts'

export const ScopedToken = z.object({
  id: z.uuid(),
  name: z.string(),
  scope: TokenScope,
  chats: z.array(z.string()).describe('Empty for all.'),
  createdAt: DateTime,
  expiresAt: DateTimeOrNever,
  lastUsedAt: DateTimeOrNever.describe('To the minute.'),
})
export type ScopedToken = z.infer<typeof ScopedToken>

export const ScopedTokenIssued = ScopedToken.extend({
  token: z.string().describe('`mgs_` and 43 characters. Shown only once; only its digest is stored.'),
})
export type ScopedTokenIssued = z.infer<typeof ScopedTokenIssued>

export const ScopedTokenList = z.object({ tokens: z.array(ScopedToken).describe('Oldest first.') })
export type ScopedTokenList = z.infer<typeof ScopedTokenList>

export const ScopedTokenDeleted = z.object({ response: z.string() })
export type ScopedTokenDeleted = z.infer<typeof ScopedTokenDeleted>
