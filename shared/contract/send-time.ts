// The field that says when a message is sent, and the rule for it.

import { DAY, SECOND } from '../date-time.ts'
import { Instant } from './instant.ts'
import { limits } from './limits.ts'

const MAX_AHEAD_MS = limits.maxScheduleDays * DAY
/** A caller's clock may be a little behind ours. */
const CLOCK_DIFFERENCE_MS = 5 * SECOND

export const SendAt = Instant.optional().describe(
  `When the message is sent, from now to ${limits.maxScheduleDays} days ahead. The response comes at once, with \`status\` \`Scheduled\` and \`scheduledFor\`; the outcome arrives as \`messages_update\` of \`type\` \`SendReceipt\`.`,
)

/** Why a message cannot be scheduled for this time; undefined if it can. */
export function findTimeFault(sendAt: string): string | undefined {
  const ahead = Date.parse(sendAt) - Date.now()
  return ahead < -CLOCK_DIFFERENCE_MS || ahead > MAX_AHEAD_MS
    ? `sendAt must be from now to ${limits.maxScheduleDays} days ahead.`
    : undefined
}
