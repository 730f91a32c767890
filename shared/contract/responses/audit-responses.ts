// Responses with entries of the audit log.

import * as z from 'zod'
import { ActorKind, AuditAction } from '../audit-actions.ts'
import { DateTime } from './response-fields.ts'

export const AuditEntry = z.object({
  seq: z.int().describe('Increases with each entry.'),
  at: DateTime,
  action: AuditAction,
  actor: ActorKind.describe(
    'The kind of token of the request: `root` is the token of the environment, `token` is one of `/v1/tokens`, `link` is a one-time link.',
  ),
  actorId: z.string().describe('The id of that token, instance or link; empty for `root`.'),
  actorName: z.string().describe('The name that the token had; empty for the other kinds.'),
  as: z
    .string()
    .describe(
      'The id of the instance that an admin token acted for by the header `instance`; otherwise empty.',
    ),
  target: z
    .string()
    .describe(
      'The id of what was changed; empty for the webhook of the server, for an object that was not created, and if the request had no id.',
    ),
  address: z.string().describe('The address that the request came from, or `unknown`.'),
  requestId: z.string(),
  outcome: z.string().describe('`done`, or the code of the error in the response.'),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditPage = z.object({ entries: z.array(AuditEntry) })
export type AuditPage = z.infer<typeof AuditPage>
