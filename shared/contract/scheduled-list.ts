// The list of messages that are sent at a time, and the end of one of them.

import * as z from 'zod'
import { limits } from './limits.ts'
import { MessageId } from './message-action-requests.ts'
import { MessageRecord } from './responses/message-responses.ts'

export const ScheduledPage = z.object({
  limit: z.int().min(1).max(limits.maxListedScheduled).default(limits.defaultListedScheduled),
  afterId: MessageId.optional().describe(
    'The id of the last message of the page before: returns those after it.',
  ),
})

export const ScheduledList = z.object({
  scheduled: z.array(MessageRecord).describe('The soonest first.'),
  total: z.int().describe('How many messages wait in all.'),
  hasMore: z.boolean(),
})
export type ScheduledList = z.infer<typeof ScheduledList>

export const ScheduledCancelled = z.object({ cancelled: z.literal(true) })
export type ScheduledCancelled = z.infer<typeof ScheduledCancelled>
