// Requests that add and change webhooks of an instance by their ids (open points, "Destinations").

import * as z from 'zod'
import { requireAny } from './field-rules.ts'
import { Chats, ExtraHeaders } from './webhook-fields.ts'
import { Format } from './webhook-formats.ts'
import { WebhookSave } from './webhook-requests.ts'

const { url, events, enabled, excludeMessages, secret } = WebhookSave.shape
const format = Format.optional()
const options = { excludeMessages, chats: Chats.nullish(), headers: ExtraHeaders.optional(), secret, format }

export const NewWebhookRequest = z.object({ url, events, enabled, ...options })
export type NewWebhookRequest = z.output<typeof NewWebhookRequest>

const changes = [
  'url',
  'events',
  'enabled',
  'excludeMessages',
  'chats',
  'headers',
  'secret',
  'format',
] as const

/** What is absent stays. */
export const WebhookPatch = z
  .object({
    url: url.optional(),
    events: events.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe('`false` pauses delivery: events wait until it is `true` again.'),
    ...options,
  })
  .refine(
    (patch) => changes.some((name) => patch[name] !== undefined),
    `must have one of ${changes.join(', ')}`,
  )
  .meta(requireAny([...changes]))
export type WebhookPatch = z.output<typeof WebhookPatch>
