// The chapter on the audit log: actor, action, address and result of each entry.

import * as z from 'zod'
import { ActorKind, AuditAction } from '../contract/audit-actions.ts'
import { Instant } from '../contract/instant.ts'
import { AuditPage } from '../contract/responses/audit-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'

const MAX_ENTRIES = 200
const DEFAULT_ENTRIES = 50

export const audit = defineChapter({
  title: 'Audit log',
  description:
    'Every act that gives an account away or changes it: creation, linking, restart and deletion of instances, their names, tokens, webhooks and proxies, profile and privacy, replays, exports, hosts and admin tokens; done, or with the code of its refusal. What changes nothing has no entry, the same refusal of one caller has one a minute, and one caller can add a bounded number of entries a minute. Entries are never changed; they leave after `KEEP_AUDIT_DAYS`. They hold ids and no secrets, and of people nothing. What cannot be read as a request, and who shows no good token, is not in it.',
  routes: {
    listAudit: defineRoute({
      method: 'GET',
      path: '/v1/audit',
      summary: 'Read the audit log',
      description:
        'Newest first; `beforeSeq` with the last `seq` of a page gives the next one. With `afterSeq` oldest first, for reading along. What is asked for together narrows.',
      auth: 'admin',
      query: z.object({
        limit: z.int().min(1).max(MAX_ENTRIES).default(DEFAULT_ENTRIES),
        beforeSeq: z.int().min(1).optional().describe('Only what came before it.'),
        afterSeq: z.int().min(0).optional().describe('Only what came after it.'),
        action: AuditAction.optional(),
        actor: ActorKind.optional(),
        actorId: z.string().optional().describe('The id of a token or of an instance.'),
        target: z.string().optional().describe('The id of what it was done to.'),
        requestId: z.string().optional(),
        outcome: z.string().optional().describe('`done`, or a code.'),
        since: Instant.optional().describe('Not before this moment.'),
        until: Instant.optional().describe('Before this moment.'),
      }),
      queryFaults: { limit: 'invalid_limit' },
      response: describeResponse(AuditPage, 'A page of entries.'),
      faults: ['invalid_limit'],
    }),
  },
})
