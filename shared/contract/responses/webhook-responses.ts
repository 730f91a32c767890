// Responses with webhook configuration and the health of the destination (contract, "Webhook configuration").

import * as z from 'zod'
import { ignoredEvents, messageFilters, serverEvents, webhookEvents } from '../event-names.ts'
import { Format } from '../webhook-formats.ts'
import { DateTime, DateTimeOrNever } from './response-fields.ts'

export const LastFailure = z.object({
  eventId: z.uuid(),
  type: z.string(),
  at: DateTimeOrNever,
  attempts: z.int(),
  status: z.int().describe('The status of the response of the receiver; 0 if it did not respond.'),
  error: z.string(),
})

export const DeliveryStatus = z.object({
  pending: z.int().describe('Events that are due to be delivered.'),
  dead: z.int().describe('Events of the present destination that are dead.'),
  lastDeliveredAt: DateTimeOrNever,
  lastFailure: LastFailure.nullable().describe(
    'After a 410 it stays that of the 410 until delivery goes on.',
  ),
  failingSince: DateTime.nullable().describe(
    'The first failure since the last success; null if the last attempt succeeded.',
  ),
  cause: z
    .string()
    .describe('Why the last attempt failed, such as `status_500` or `timeout`; empty if it succeeded.'),
  waitingSince: DateTime.nullable().describe(
    'The next event has been due since then: the receiver is about to get it, has not responded yet, or delivery is paused.',
  ),
  paused: z
    .enum(['', 'gone', 'disabled'])
    .describe(
      '`gone`: the receiver responded with 410, and nothing is sent until the webhook is saved again. `disabled`: `enabled` is false.',
    ),
  pausedUntil: DateTime.nullable().describe('The gateway sends nothing to the receiver until then.'),
})
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** The webhook in the answer to status. */
export const WebhookHealth = z.object({
  registered: z.boolean(),
  inheritedGlobal: z.boolean(),
  enabled: z.boolean().optional(),
  deliveryStatus: DeliveryStatus.optional(),
})
export type WebhookHealth = z.infer<typeof WebhookHealth>

const dropped = z
  .array(z.enum(['headers', 'secret']))
  .optional()
  .describe(
    'What this save has dropped: headers and secret are for the scheme, host and port of the URL they were saved with.',
  )

const subscription = {
  id: z.uuid(),
  url: z
    .string()
    .describe('For an inherited webhook, the URL without its query, which may contain a credential.'),
  events: z.array(z.enum(webhookEvents)).describe('The events that are delivered.'),
  enabled: z.boolean(),
  format: Format,
  excludeMessages: z.array(z.enum(messageFilters)).nullable(),
  hasSecret: z.boolean().describe('The secret itself is never shown.'),
  secretSealed: z.boolean(),
  createdAt: DateTime,
  updatedAt: DateTime,
  ignoredEvents: z
    .array(z.enum([...ignoredEvents, 'history']))
    .describe(
      'Names that are not delivered. `history` is among them until the instance asks for its past with `history` of `/instance/connect`; in the webhook of the server always.',
    ),
}

const firstSubscription = {
  ...subscription,
  chats: z
    .array(z.string())
    .optional()
    .describe('Only events of these chats. Absent where it is for all of them.'),
}

export const Webhook = z.object({
  registered: z.boolean().describe('Whether there is a subscription. Its fields are present only then.'),
  ...z.object(firstSubscription).partial().shape,
  inheritedGlobal: z.boolean().describe('The instance follows the webhook of the whole server.'),
  deliveryStatus: DeliveryStatus,
  webhooks: z
    .array(z.object(firstSubscription))
    .describe('The active subscription; empty if delivery is off.'),
  dropped,
})
export type Webhook = z.infer<typeof Webhook>

export const WebhookDeleted = z.object({ success: z.literal(true), deleted: z.literal(true) })

export const WebhookSaved = z.union([Webhook, WebhookDeleted])
export type WebhookSaved = z.infer<typeof WebhookSaved>

/** One of the webhooks of an instance (open points, "Destinations"). */
export const WebhookRecord = z.object({
  ...subscription,
  first: z
    .boolean()
    .describe('It is the webhook of `POST /webhook`, whose result is the `status` of an event.'),
  chats: z.array(z.string()).nullable().describe('Only events of these chats; null for all.'),
  headerNames: z
    .array(z.string())
    .describe('The headers that every request to it has. Their values are never shown.'),
  deliveryStatus: DeliveryStatus,
})
export type WebhookRecord = z.infer<typeof WebhookRecord>

export const WebhookResponse = z.object({ webhook: WebhookRecord, dropped })
export const WebhookList = z.object({
  webhooks: z.array(WebhookRecord).describe('At most five: the first, then the others, oldest first.'),
})

const { id: _, ...destination } = {
  ...subscription,
  url: z
    .string()
    .describe(
      'For an admin token of scope `read`, the URL without its query, which may contain a credential.',
    ),
}

export const ServerWebhook = z.object({
  registered: z.boolean().describe('Whether there is a global webhook. Its fields are present only then.'),
  scope: z.literal('server'),
  ...z.object(destination).partial().shape,
  events: z.array(z.enum(serverEvents)).optional(),
  dropped,
})
export type ServerWebhook = z.infer<typeof ServerWebhook>

export const WebhookTested = z.object({
  delivered: z.boolean(),
  status: z.int().describe('The status of the response of the receiver; 0 if it did not respond.'),
  ms: z.int().describe('How long the attempt took.'),
  error: z.string().describe('Why the envelope was not delivered; empty if it was.'),
})
export type WebhookTested = z.infer<typeof WebhookTested>
