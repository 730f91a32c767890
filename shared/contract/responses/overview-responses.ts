// Responses with the overview and with the list of instances that operators search.

import * as z from 'zod'
import { gapStates } from '../coverage.ts'
import { DisconnectReason, Status } from '../instance-requests.ts'
import { WebhookTrouble } from '../webhook-trouble.ts'
import { CoveredInstance } from './instance-responses.ts'
import { DateTime, DateTimeOrNever } from './response-fields.ts'

/** Why an instance is not connected. */
export const AbsenceReason = z.enum([
  ...DisconnectReason.exclude(['']).options,
  'never_linked',
  'host_away',
  'none',
])
export type AbsenceReason = z.infer<typeof AbsenceReason>

export const WebhookState = z.enum(['healthy', 'waiting', 'failing', 'resting', 'paused', 'off'])
export type WebhookState = z.infer<typeof WebhookState>

const EventCounts = z.object({
  delivered: z.int(),
  unaddressed: z.int().describe('Events without a receiver: they were stored and never sent.'),
  pending: z.int(),
  dead: z.int(),
})
export type EventCounts = z.infer<typeof EventCounts>

export const Overview = z.object({
  at: DateTime.describe('When this was counted.'),
  instances: z.object({
    total: z.int(),
    states: z.record(Status, z.int()),
    reasons: z
      .partialRecord(AbsenceReason, z.int())
      .describe(
        'Of the instances that are not connected. `never_linked`: no device was linked yet. `host_away`: its session host has no lease. `none`: nothing was reported, for example after a start.',
      ),
  }),
  gaps: z
    .record(z.enum(gapStates).exclude(['filled']), z.int())
    .describe('Gaps in the messages of instances that are not filled, of the newest ten of each.'),
  webhooks: z
    .record(WebhookState, z.int())
    .describe(
      'Instances by the state of their webhook; of several, that of the worst: `resting`, `failing`, `waiting`, `paused`, `healthy`. `off`: it has none. `resting`: the receiver responded with 410. `paused`: `enabled` is false. `failing`: events wait, and the last attempt failed. `waiting`: events are due for more than a minute, and none failed.',
    ),
  webhookEvents: z
    .array(
      z.object({
        at: DateTime,
        instance: z.object({ id: z.uuid(), name: z.string() }),
        webhookId: z.uuid(),
        url: z.string(),
        state: WebhookTrouble,
        since: DateTime,
        cause: z.string(),
        status: z.int(),
      }),
    )
    .describe('The newest ten events `webhook`, as the webhook of the server gets them.'),
  events: z.object({
    hours: z
      .array(EventCounts.extend({ at: DateTime.describe('The beginning of the hour.') }))
      .describe('The last 24 hours of the clock, oldest first; the last one is not over.'),
    lastHour: EventCounts.describe('The last 60 minutes.'),
    lastDay: EventCounts.describe('The sum of `hours`.'),
  }),
  hosts: z.object({
    total: z.int(),
    linked: z.int(),
    draining: z.int().describe('Those of the linked hosts that drain.'),
    away: z.int().describe('Hosts that were linked, have no lease now, and were not drained before.'),
    sessions: z.int().describe('Sessions of the linked hosts.'),
    slots: z.int().describe('Slots of the linked hosts.'),
  }),
})
export type Overview = z.infer<typeof Overview>

const WebhookSummary = z.object({
  state: WebhookState.describe(
    'Of several webhooks, that of the worst; the other fields are of the same one.',
  ),
  since: DateTimeOrNever.describe(
    'Since when it is in this state, as far as that is known: never of a healthy webhook.',
  ),
  cause: z
    .string()
    .describe('Why the last attempt failed, while the webhook rests or fails; otherwise empty.'),
  status: z.int().describe('The status of that response; 0 if the receiver did not respond.'),
  id: z.string().describe('The id of this webhook; empty if there is none.'),
  inherited: z.boolean().describe('The instance follows the webhook of the whole server.'),
})

export const ListedInstance = CoveredInstance.extend({
  number: z.string().describe('Digits of the account that is linked, or was linked last.'),
  reason: z
    .union([AbsenceReason, z.literal('')])
    .describe('Why it is not connected; empty while it is. The filter `reason` compares it.'),
  lastEventAt: DateTimeOrNever.describe('When its newest stored event came.'),
  pending: z.int().describe('Events that wait, each counted at each webhook.'),
  dead: z.int().describe('Dead events of the present destinations, each counted at each webhook.'),
  webhook: WebhookSummary,
  host: z
    .object({ id: z.uuid(), region: z.string() })
    .nullable()
    .describe('The session host that it is assigned to.'),
})
export type ListedInstance = z.infer<typeof ListedInstance>

export const InstancePage = z.object({
  instances: z.array(ListedInstance),
  next: z.string().describe('The `after` of the next page; empty on the last one.'),
  total: z.int().describe('How many instances match, on all pages.'),
})
export type InstancePage = z.infer<typeof InstancePage>
