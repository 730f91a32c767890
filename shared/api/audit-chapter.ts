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
    'The audit log has everything that gives access to an account or changes it: creation, linking, restart and deletion of instances, their names, tokens, webhooks and proxies, profile and privacy, replays, exports, hosts and admin tokens. It also has each use of an admin token that acts for an instance and changes something or shows texts of messages: `as` is the instance, and `action` is `acting.` and the operation, unless the operation has an action of its own. Reading chats, messages and files is `conversation.read`; in the console one entry an hour. The outcome is done, or the code of the refusal. A request that changes nothing has no entry. The same refusal of one caller has one entry a minute, and one caller can add a limited number of entries a minute. Entries never change; they are deleted after `KEEP_AUDIT_DAYS`. They contain ids, no secrets, and nothing about people. Requests that cannot be parsed and requests without a valid token have no entry.',
  routes: {
    listAudit: defineRoute({
      method: 'GET',
      path: '/v1/audit',
      summary: 'Lists the entries of the audit log',
      description:
        'The order is newest first; `beforeSeq` with the last `seq` of a page returns the next page. With `afterSeq` the order is oldest first, to follow new entries. Filters are combined: an entry must match all of them.',
      auth: 'admin',
      query: z.object({
        limit: z.int().min(1).max(MAX_ENTRIES).default(DEFAULT_ENTRIES),
        beforeSeq: z.int().min(1).optional().describe('Returns only entries before this `seq`.'),
        afterSeq: z.int().min(0).optional().describe('Returns only entries after this `seq`.'),
        action: AuditAction.optional(),
        actor: ActorKind.optional(),
        actorId: z.string().optional().describe('The id of a token or of an instance.'),
        as: z.string().optional().describe('The id of the instance that an admin token acted for.'),
        target: z.string().optional().describe('The id of what was changed.'),
        requestId: z.string().optional(),
        outcome: z.string().optional().describe('`done`, or a code.'),
        changes: z.enum(['true', 'false']).optional().describe('`true` leaves out what only showed texts.'),
        since: Instant.optional().describe('Returns only entries at this time or later.'),
        until: Instant.optional().describe('Returns only entries before this time.'),
      }),
      onlyKnownQuery: true,
      queryFaults: { limit: 'invalid_limit' },
      cost: 'page',
      response: describeResponse(AuditPage, 'A page of entries.'),
      faults: ['invalid_limit', 'quota_reached'],
    }),
  },
})
