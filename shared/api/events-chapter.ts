// The chapter on stored events: routes that list them, deliver them again, and stream them.

import * as z from 'zod'
import { deliveredEvents } from '../contract/event-names.ts'
import { Instant } from '../contract/instant.ts'
import { limits } from '../contract/limits.ts'
import { MessageId } from '../contract/message-action-requests.ts'
import { ReplayRequest } from '../contract/replay-request.ts'
import { EventList, EventStatus, Redriven } from '../contract/responses/event-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

export const events = defineChapter({
  title: 'Events',
  description:
    'The queue behind the webhook. What is listed is the kept form of an event; what is delivered and streamed is its envelope.',
  routes: {
    listEvents: defineRoute({
      method: 'GET',
      path: '/v1/events',
      summary: 'The events that are kept, and the state of each',
      description:
        'Newest first; with `afterSeq` oldest first, for reading along. What is asked for together narrows. A page of large events is shorter than `limit`; only an empty one is the last. Events are kept for 30 days, unless the operator says otherwise (`KEEP_EVENTS_DAYS`). An admin token of scope `read` sees them too, of the `instance` or, with a `messageid`, of all; payloads and answers of receivers from `operate` up, in the audit log as `events.read`.',
      auth: 'instance',
      adminScope: 'read',
      query: z.object({
        limit: z.int().min(1).max(limits.maxListedEvents).default(limits.defaultListedEvents),
        status: EventStatus.optional().describe('Only these.'),
        type: z.enum(deliveredEvents).optional().describe('Only these.'),
        messageid: MessageId.optional().describe('Only what is about this message.'),
        from: Instant.optional().describe('Only what was stored at this moment or later.'),
        to: Instant.optional().describe('Only what was stored before this moment.'),
        afterSeq: z.int().min(0).optional().describe('Only what came after it.'),
        instance: z
          .uuid({ error: 'must be a UUID' })
          .toLowerCase()
          .optional()
          .describe('The id of an instance, for an admin token.'),
      }),
      onlyKnownQuery: true,
      response: describeResponse(EventList, 'Event records.'),
      faults: ['invalid_limit', 'invalid_status', 'invalid_query', 'instance_not_found'],
      queryFaults: { limit: 'invalid_limit', status: 'invalid_status' },
    }),
    redriveEvents: defineRoute({
      method: 'POST',
      path: '/v1/events/replay',
      summary: 'Deliver events again',
      description:
        'With the ids and bytes that they had, due at once, in the order of `seq`. What is asked for together narrows; at least one of `ids`, `status`, `fromSeq` and `toSeq` is needed. Types and filters that the present webhook excludes are not queued; without a webhook nothing is. At most 10,000 are queued each time, the first by `seq`: ask again for the rest. One replay of an instance runs at a time.',
      auth: 'instance',
      audit: 'events.replay',
      body: {
        schema: ReplayRequest,
        faults: { ids: 'invalid_id', status: 'invalid_status' },
        samples: {
          'what is dead': { status: 'dead' },
          'how many there would be': { fromSeq: 1, toSeq: 200, dryRun: true },
          'some by id': { ids: [sample.eventId] },
        },
      },
      response: describeResponse(Redriven, 'How many.'),
      faults: ['quota_reached', 'invalid_id', 'invalid_status'],
    }),
    streamEvents: defineRoute({
      method: 'GET',
      path: '/v1/events/stream',
      summary: 'Events as they come, as Server-Sent Events',
      description:
        'For those with no public address: every envelope of the instance as one `data:` line, its `seq` as `id:`. With `Last-Event-ID` it goes on after that `seq`, without it from now on. Comment lines say that it is alive. It is no confirmation: the webhook is served all the same.',
      auth: 'instance',
      rate: 'STREAM_RATE',
      header: z.object({
        'Last-Event-ID': z.int().min(0).optional().describe('The `id:` that was seen last.'),
      }),
      response: {
        description: 'The stream; it ends when the token does.',
        schema: z.string(),
        type: 'text/event-stream',
      },
      faults: ['invalid_query'],
    }),
  },
})
