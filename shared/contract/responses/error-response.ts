// The Error object, the response of every refusal (contract, "Error object").

import * as z from 'zod'
import { Instance } from './instance-responses.ts'

export const ErrorObject = z.object({
  error: z.string().describe('The code, for programs.'),
  message: z.string().optional().describe('The error in words, for people; it names the field.'),
  messageid: z
    .string()
    .optional()
    .describe('The message whose outcome is not known: look it up before you send it again.'),
  messageId: z.string().optional(),
  id: z.string().optional(),
  provider_code: z.int().optional().describe("The network's own number."),
  error_key: z.string().optional(),
  error_source: z.string().optional(),
  until: z
    .int()
    .optional()
    .describe('The time until which the network would refuse it; milliseconds since the epoch.'),
  details: z.record(z.string(), z.unknown()).optional(),
  instance: Instance.optional(),
})
export type ErrorObject = z.infer<typeof ErrorObject>
