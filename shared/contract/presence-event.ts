// Who is online or types in a subscribed chat, as the host tells the edge and the edge tells receivers (open points, "Presence").

import * as z from 'zod'
import { Milliseconds } from './responses/response-fields.ts'

export const PresenceEvent = z.object({
  number: z.string().describe('The id of the subscribed chat: of a person, or of a group.'),
  state: z
    .enum(['available', 'unavailable', 'composing', 'recording', 'paused'])
    .describe('In a group only that someone types, records or stops.'),
  lastSeen: Milliseconds.describe('When an unavailable person was online last; 0 where that is not shown.'),
  Sender: z.string().describe('The person: in a group the one who types.'),
  sender_pn: z.string(),
  sender_lid: z.string(),
  IsGroup: z.boolean(),
})
export type PresenceEvent = z.infer<typeof PresenceEvent>

/** One of a frame from a host. Presence is never stored. */
export const PresenceItem = z.object({
  instance: z.uuid(),
  /** As of a report. */
  epoch: z.int().positive(),
  id: z.uuid(),
  owner: z.string(),
  /** Milliseconds since the epoch. */
  at: z.int().positive(),
  event: PresenceEvent,
})
export type PresenceItem = z.infer<typeof PresenceItem>
