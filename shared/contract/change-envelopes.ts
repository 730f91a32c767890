// Envelopes of changed messages, changed groups, calls, limits, undecryptable messages, and the history.

import * as z from 'zod'
import { envelopeHead } from './event-envelopes.ts'
import { PresenceEvent } from './presence-event.ts'
import { CallRecord } from './responses/call-responses.ts'
import { MentionedPerson, MessageRecord } from './responses/message-responses.ts'
import { Milliseconds } from './responses/response-fields.ts'
import { WebhookTrouble } from './webhook-trouble.ts'

const MessagesEdit = z.object({
  event: z.object({
    messageid: z.string().describe('The message that was changed.'),
    chatid: z.string(),
    chatlid: z.string().optional().describe('The LID of a person, if it is known.'),
    text: z.string().describe('Its new text.'),
    mentions: z.array(MentionedPerson).describe('The people whom the new text mentions.'),
    editedAt: Milliseconds,
    unreadable: z
      .literal(true)
      .optional()
      .describe(
        'Present if the new text cannot be decrypted: the message is not stored here, or is damaged.',
      ),
  }),
})
export type MessagesEditPayload = z.infer<typeof MessagesEdit>

const Groups = z.object({
  type: z.enum(['Group', 'JoinedGroup']),
  event: z.object({
    JID: z.string(),
    Sender: z.string().describe('The person who made the change, if the network sends it.'),
    sender_pn: z.string(),
    sender_lid: z.string(),
    Timestamp: Milliseconds,
    Name: z.string().optional().describe('Present if it has changed, like the three fields below.'),
    Topic: z.string().optional(),
    Locked: z.boolean().optional(),
    Announce: z.boolean().optional(),
    Join: z
      .array(z.string())
      .describe('If a person now has another number, the new id is here, and the previous id is in `Leave`.'),
    Leave: z.array(z.string()),
    Promote: z.array(z.string()),
    Demote: z.array(z.string()),
  }),
})
export type GroupsPayload = z.infer<typeof Groups>

const Call = z.object({ event: CallRecord })
export type CallPayload = z.infer<typeof Call>

const Limits = z.object({
  event: z.object({
    kind: z.enum(['reachout_timelock', 'rate_overlimit', 'new_chat_cap']),
    active: z.boolean(),
    until: z.int().describe('Milliseconds since the epoch; 0 if the network does not send it.'),
    provider_code: z
      .int()
      .describe("The network's own number; 0 if the network sent this without a request."),
  }),
})
export type LimitsPayload = z.infer<typeof Limits>

const Undecryptable = z.object({
  event: z.object({
    messageid: z.string(),
    chatid: z.string(),
    sender: z.string(),
    reason: z.string(),
    timestamp: Milliseconds,
  }),
})
export type UndecryptablePayload = z.infer<typeof Undecryptable>

const History = z.object({
  event: z.object({
    progress: z.int().describe('Percent of the history, as the phone counts it.'),
    chunk: z.int().describe('The number that the phone gave to this part of its history.'),
    chats: z
      .array(z.object({ id: z.string(), lid: z.string(), name: z.string(), isGroup: z.boolean() }))
      .describe('The chats of these messages.'),
    messages: z.array(MessageRecord).max(100).describe('Each message of the history is in one event.'),
  }),
})
export type HistoryPayload = z.infer<typeof History>
const Presence = z.object({ event: PresenceEvent })
export type PresencePayload = z.infer<typeof Presence>

const WebhookChange = z.object({
  event: z.object({
    webhookId: z.uuid(),
    url: z.string().describe('Without its query, which may contain a credential.'),
    state: WebhookTrouble,
    since: Milliseconds,
    cause: z
      .string()
      .describe('Of the last failure, such as `status_410`; empty of `recovered` and `ended`.'),
    status: z.int().describe('Of that response; 0 if the receiver did not respond.'),
  }),
})

const defineEnvelope = <Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  payload: z.ZodObject<Shape>,
) => z.object({ EventType: z.literal(name), ...envelopeHead, ...payload.shape })

export const MessagesEditEnvelope = defineEnvelope('messages_edit', MessagesEdit)
export const GroupsEnvelope = defineEnvelope('groups', Groups)
export const CallEnvelope = defineEnvelope('call', Call)
export const LimitsEnvelope = defineEnvelope('limits', Limits)
export const UndecryptableEnvelope = defineEnvelope('undecryptable', Undecryptable)
/** Its `seq` is 0: it is not stored. */
export const PresenceEnvelope = defineEnvelope('presence', Presence)

export const HistoryEnvelope = defineEnvelope('history', History)

/** Its `seq` is 0: it is not among the events of the instance. */
export const WebhookEnvelope = defineEnvelope('webhook', WebhookChange)
export type WebhookEnvelope = z.infer<typeof WebhookEnvelope>

export type ChangeEnvelope =
  | z.infer<typeof MessagesEditEnvelope>
  | z.infer<typeof GroupsEnvelope>
  | z.infer<typeof CallEnvelope>
  | z.infer<typeof LimitsEnvelope>
  | z.infer<typeof UndecryptableEnvelope>
  | z.infer<typeof HistoryEnvelope>
  | z.infer<typeof PresenceEnvelope>
  | WebhookEnvelope
