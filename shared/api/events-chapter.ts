// The chapter on stored events: routes that list them, deliver them again, and stream them.

import * as z from 'zod'
import { deliveredEvents } from '../contract/event-names.ts'
import { Instant } from '../contract/instant.ts'
import { limits } from '../contract/limits.ts'
import { MessageId } from '../contract/message-action-requests.ts'
import { ReplayRequest } from '../contract/replay-request.ts'
import { EventDetail, EventList, EventStatus, Redriven } from '../contract/responses/event-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const payload = z
  .enum(['true', 'false'])
  .optional()
  .describe(
    '`false` leaves out payloads and responses of receivers: a smaller answer, and no entry in the audit log.',
  )

export const events = defineChapter({
  title: 'Events',
  description:
    'Events are the queue behind the webhook. The list has the stored form of an event; deliveries and the stream have its envelope.',
  routes: {
    listEvents: defineRoute({
      method: 'GET',
      path: '/v1/events',
      summary: 'Lists the stored events and the state of each',
      description:
        'The order is newest first, and `beforeSeq` has the `seq` of the last event of the page before; with `afterSeq` it is oldest first, to follow new events. Filters are combined: an event must match all of them. A page ends before `limit` where it would have more than 256 KiB: `hasMore` says whether there are others. An answer about a `messageid` of all instances has no `seq` to go on from: ask for each instance. Events are stored for 30 days, unless the operator sets another retention (`KEEP_EVENTS_DAYS`). An admin token of scope `read` can list them too, of the `instance` or, with a `messageid`, of all instances; with neither it is 401. From scope `operate` up it gets payloads and responses of receivers, and the audit log has an entry `events.read`.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      showsTexts: 'events.read',
      adminScope: 'read',
      adminNames: ['instance', 'messageid'],
      query: z.object({
        limit: z.int().min(1).max(limits.maxListedEvents).default(limits.defaultListedEvents),
        status: EventStatus.optional().describe('Returns only events with this status.'),
        type: z.enum(deliveredEvents).optional().describe('Returns only events of this type.'),
        messageid: MessageId.optional().describe('Returns only events about this message.'),
        from: Instant.optional().describe('Returns only events that were stored at this time or later.'),
        to: Instant.optional().describe('Returns only events that were stored before this time.'),
        afterSeq: z.int().min(0).optional().describe('Returns only events after this `seq`.'),
        beforeSeq: z.int().min(0).optional().describe('Returns only events before this `seq`.'),
        unaddressed: z
          .enum(['true', 'false'])
          .optional()
          .describe('`true` returns only events that no webhook was to receive, `false` only the others.'),
        payload,
        instance: z
          .guid({ error: 'must be a UUID' })
          .toLowerCase()
          .optional()
          .describe('The id of an instance, for an admin token.'),
      }),
      onlyKnownQuery: true,
      conditional: true,
      cost: 'page',
      response: describeResponse(EventList, 'Event records.'),
      faults: ['invalid_limit', 'invalid_status', 'invalid_query', 'instance_not_found', 'quota_reached'],
      queryFaults: { limit: 'invalid_limit', status: 'invalid_status' },
    }),
    redriveEvents: defineRoute({
      method: 'POST',
      path: '/v1/events/replay',
      summary: 'Delivers events again',
      description:
        'The events have the same ids and bytes as before. They are due at once, in the order of `seq`; one that waits is due at once too. While delivery is paused (`deliveryStatus.paused`) they are queued, and wait until it goes on. Filters are combined: an event must match all of them. At least one of `ids`, `status`, `fromSeq` and `toSeq` is required. Events that the present webhook excludes by type or filter are not queued; without a webhook no events are queued. `webhookId` names one of several webhooks; the others get nothing again. Each request queues at most 10,000 events, the first by `seq`: repeat it for the rest. An instance has one replay at a time.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      audit: 'events.replay',
      body: {
        schema: ReplayRequest,
        onlyKnown: true,
        faults: { ids: 'invalid_id', webhookId: 'invalid_id', status: 'invalid_status' },
        samples: {
          'dead events': { status: 'dead' },
          'count only': { fromSeq: 1, toSeq: 200, dryRun: true },
          'some by id': { ids: [sample.eventId] },
        },
      },
      response: describeResponse(Redriven, 'The number of events.'),
      faults: ['quota_reached', 'invalid_id', 'invalid_status', 'webhook_not_found'],
    }),
    streamEvents: defineRoute({
      method: 'GET',
      path: '/v1/events/stream',
      summary: 'Streams events as they arrive, as Server-Sent Events',
      description:
        'This route is for programs without a public address. It sends every envelope of the instance as one `data:` line, with its `seq` as `id:`. With `Last-Event-ID` it continues after that `seq`, without it from now on. Comment lines show that the stream is alive. Reading the stream confirms nothing: the events are delivered to the webhook too.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      showsTexts: 'conversation.read',
      rate: 'STREAM_RATE',
      onlyKnownQuery: true,
      header: z.object({
        'Last-Event-ID': z.int().min(0).optional().describe('The last `id:` that was received.'),
      }),
      response: {
        description: 'The stream. It ends when the token does.',
        schema: z.string(),
        type: 'text/event-stream',
      },
      faults: ['invalid_query'],
    }),
    getEvent: defineRoute({
      method: 'GET',
      path: '/v1/events/{id}',
      summary: 'Returns one event with its envelope and each attempt to deliver it',
      description:
        'An admin token of scope `read` can read it too. From scope `operate` up it gets payload, envelope and responses of the receiver, and the audit log has an entry `events.read`.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'named',
      showsTexts: 'events.read',
      adminScope: 'read',
      names: 'event',
      query: z.object({ payload }),
      onlyKnownQuery: true,
      response: describeResponse(EventDetail, 'The event and its attempts.'),
      faults: ['invalid_query'],
    }),
  },
})
