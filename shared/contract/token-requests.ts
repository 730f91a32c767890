// Requests that create admin tokens and renew tokens.

import * as z from 'zod'
import { DAY, SECOND } from '../date-time.ts'
import { Scope } from './admin-scope.ts'
import { VISIBLE } from './instance-requests.ts'

const MAX_OVERLAP_SECONDS = (7 * DAY) / SECOND
const MAX_LIFETIME_SECONDS = (3650 * DAY) / SECOND

export const RenewRequest = z.object({
  overlap: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(0)
    .describe(
      'Seconds for which the old value stays valid too. 0 is the default: the old value becomes invalid at once.',
    ),
})

export const TokenRequest = z.object({
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
      description: 'What the token is for; you choose the words. Names need not be unique.',
    }),
  scope: Scope.describe(
    '`read`: what operators look at. `operate`: also instances, their sessions and tokens, webhooks, drain. `admin`: everything, including session hosts and tokens.',
  ),
  expiresIn: z
    .int()
    .min(1)
    .max(MAX_LIFETIME_SECONDS)
    .optional()
    .describe('Seconds from now until the token expires; without it the token does not expire.'),
})
