// Responses about calls of an instance of kind `calls` (open points, "Calls").

import * as z from 'zod'
import { Milliseconds } from './response-fields.ts'

export const CallRecord = z.object({
  CallID: z.string(),
  From: z.string(),
  CallCreator: z.string(),
  GroupJID: z.string(),
  IsVideo: z.boolean(),
  IsGroup: z.boolean(),
  State: z.enum(['offer', 'ringing', 'accept', 'reject', 'timeout', 'terminate']),
  Reason: z.string(),
  Timestamp: Milliseconds,
})
export type CallRecord = z.infer<typeof CallRecord>

export const CallList = z.object({ calls: z.array(CallRecord).describe('The last 50, newest first.') })
export type CallList = z.infer<typeof CallList>
