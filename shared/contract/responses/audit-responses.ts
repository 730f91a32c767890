// Responses with entries of the audit log.

import * as z from 'zod'
import { ActorKind, AuditAction } from '../audit-actions.ts'
import { DateTime } from './response-fields.ts'

export const AuditEntry = z.object({
  seq: z.int().describe('Grows with each entry.'),
  at: DateTime,
  action: AuditAction,
  actor: ActorKind.describe(
    'Whose token asked: `root` is the token of the environment, `token` one of `/v1/tokens`.',
  ),
  actorId: z.string().describe('The id of that token or instance; empty for `root`.'),
  actorName: z.string().describe('The name that the token had; empty for the others.'),
  target: z
    .string()
    .describe(
      'The id of what it was done to; empty for the webhook of the server, for what was not made, and where no id was given.',
    ),
  address: z.string().describe('Where the request came from, or `unknown`.'),
  requestId: z.string(),
  outcome: z.string().describe('`done`, or the code of the error that was answered.'),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditPage = z.object({ entries: z.array(AuditEntry) })
export type AuditPage = z.infer<typeof AuditPage>
