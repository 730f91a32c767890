// The scopes of an instance's further tokens, what a route says of them, and the requests that create such tokens (open points, "Tokens of an instance").

import * as z from 'zod'
import { DAY, SECOND } from '../date-time.ts'
import { VISIBLE } from './instance-requests.ts'
import { Chats } from './webhook-fields.ts'

/** Each includes the one before it. */
export const tokenScopes = ['read', 'send', 'full'] as const
export const TokenScope = z.enum(tokenScopes)
export type TokenScope = z.infer<typeof TokenScope>

export const includesTokenScope = (granted: TokenScope, required: TokenScope): boolean =>
  tokenScopes.indexOf(granted) >= tokenScopes.indexOf(required)

/**
 * How a route treats a token for some chats only. `none`: it is about no chat. `named`: a chat or a message that the request names is as
 * if it were not there, unless it is chosen. `listed`: the answer has only what is of chosen chats. `groups`: it needs a token for all
 * groups. `all`: it needs a token for all chats.
 */
export type ChatUse = 'none' | 'named' | 'listed' | 'groups' | 'all'

/** What a route of an instance declares. `own`: it takes the instance's own token only. */
export type TokenAccess = { tokenScope: 'own' } | { tokenScope: TokenScope; chats: ChatUse }

const MAX_LIFETIME_SECONDS = (3650 * DAY) / SECOND

export const ScopedTokenRequest = z.object({
  name: z
    .string()
    .trim()
    .refine(
      (name) => /^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u.test(name),
      'must be 1 to 100 characters, no control characters',
    )
    .meta({
      minLength: 1,
      maxLength: 100,
      pattern: VISIBLE,
      description: 'What the token is for; you choose the words.',
    }),
  scope: TokenScope.describe(
    '`read`: reads and streams. `send`: also sends and marks. `full`: all but tokens, the import of a device and deletion.',
  ),
  chats: Chats.optional().describe(
    'Only these chats, by phone number or id; `groups` and `people` stand for all of them. Others are as if they were not there. Absent or empty: all chats.',
  ),
  expiresIn: z
    .int()
    .min(1)
    .max(MAX_LIFETIME_SECONDS)
    .optional()
    .describe('Seconds until it expires; without it the token does not expire.'),
})
export type ScopedTokenRequest = z.infer<typeof ScopedTokenRequest>
