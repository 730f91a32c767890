// Responses about temporary restrictions of an account by the network.

import * as z from 'zod'
import { Milliseconds } from './response-fields.ts'

const Limit = z.object({
  active: z.boolean(),
  until: z.int().describe('Milliseconds since the epoch; 0 if the network does not send it.'),
})

const NewChatCap = Limit.extend({
  total: z
    .int()
    .describe('New chats that the account may open until then; 0 if the network does not send it.'),
  used: z.int(),
})

const fields = {
  reachout_timelock: Limit.describe('Messages to new people are not allowed.'),
  rate_overlimit: Limit.describe('The network got too many requests.'),
  new_chat_cap: NewChatCap.nullable().describe('`null` until the network has sent it.'),
}

export const Limits = z.object({
  ...fields,
  recent: z
    .array(z.object({ at: Milliseconds, route: z.string(), provider_code: z.int() }))
    .describe('The requests that the network refused for one of these limits, newest first, 20 at most.'),
})
export type Limits = z.infer<typeof Limits>

/** The form that a host stores: with names of actions instead of routes. */
export type AccountLimits = Omit<Limits, 'recent'> & {
  recent: { at: number; action: string; provider_code: number }[]
}

export const noLimits: AccountLimits = {
  reachout_timelock: { active: false, until: 0 },
  rate_overlimit: { active: false, until: 0 },
  new_chat_cap: null,
  recent: [],
}
