// What the operator is told of the webhook of an instance, by the event `webhook` and by the overview.

import * as z from 'zod'
import { HOUR } from '../date-time.ts'

/** The operator hears of a webhook that has failed for so long. */
export const LONG_FAILURE = HOUR

const webhookTroubles = ['failing', 'given_up', 'paused'] as const

/** The first is none. */
export const reportedTroubles = ['', ...webhookTroubles] as const

export const WebhookTrouble = z
  .enum([...webhookTroubles, 'recovered', 'ended'])
  .describe(
    '`failing`: no attempt has succeeded for an hour. `given_up`: an event is dead after its last attempt. `paused`: the receiver responded with 410, and gets nothing more. `recovered`: it has taken an event again. `ended`: it has another URL, or is off or deleted.',
  )
export type WebhookTrouble = z.infer<typeof WebhookTrouble>
