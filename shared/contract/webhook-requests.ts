// Requests that configure webhooks (contract, "Webhooks"). The edge checks the address of `url`.

import * as z from 'zod'
import {
  deliveredEvents,
  ignoredEvents,
  messageFilters,
  operatorEvents,
  webhookEvents,
} from './event-names.ts'
import { limits } from './limits.ts'
import { Chats, ExtraHeaders } from './webhook-fields.ts'
import { Format } from './webhook-formats.ts'

export const eventNames: readonly string[] = [...webhookEvents, ...ignoredEvents]

/** Takes a comma-separated string or an array, and returns trimmed, unique, non-empty names. The caller checks which they are. */
function defineNames(names: readonly string[], minItems: number) {
  const name = `(${names.join('|')})\\s*`
  return z
    .union([
      z.string().meta({ pattern: `^\\s*(${name}(,\\s*${name})*)${minItems === 0 ? '?' : ''}$` }),
      z.array(z.string().meta({ enum: names })).meta({ minItems }),
    ])
    .transform((input) => [
      ...new Set(
        (typeof input === 'string' ? input.split(',') : input).map((word) => word.trim()).filter(Boolean),
      ),
    ])
}

const defineEvents = (names: readonly string[]) =>
  defineNames([...names, 'all'], 1).pipe(z.array(z.string()).min(1).max(64))

/** Clients of the API family write `false` in many ways. */
const No = z.literal([false, null, 0, '', '0', 'false'], 'must be false').optional()

/** Used if the operator has chosen the words of the API family. */
export const YesOrNo = z
  .union([No, z.literal([true, 1, '1', 'true'], 'must be true or false').transform(() => true)])
  .optional()

const formatNames = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

const saveActions = ['add', 'update'] as const
const endActions = ['delete', 'inherit'] as const

/** Read first: it decides which of the two bodies below applies. */
export const WebhookAction = z.enum([...saveActions, ...endActions]).default('add')
export const ServerWebhookAction = z.enum([...saveActions, 'delete']).default('add')

const Id = z
  .string()
  .optional()
  .describe('For `update` or `delete` of an instance’s webhook: its `id`. Another id is 404.')

/** A destination: `url` and `events` together. */
export const WebhookSave = z.object({
  action: z.enum(saveActions).default('add').describe('Both values save the webhook.'),
  id: Id,
  url: z
    .string()
    .min(1)
    .max(limits.maxWebhookUrlLength)
    .meta({
      pattern: '^https?://[^/\\s\\\\][^\\s\\\\]*$',
      description:
        'A public https URL without credentials; port 443 or above 1023. Redirects are not followed.',
      examples: ['https://receiver.example.com/events', 'https://receiver.example.com:8443/?key=1'],
    }),
  events: defineEvents(eventNames).describe(
    `A comma-separated string or an array of ${formatNames(deliveredEvents)}, or \`all\`. \`history\` is delivered once the instance asks for its past; \`status_posts\`, which \`all\` is without, are posts of contacts as \`messages\`. Accepted and not delivered: ${formatNames(ignoredEvents)}.`,
  ),
  enabled: z
    .boolean()
    .default(true)
    .describe('`false` pauses delivery: events wait and are delivered on resume.'),
  excludeMessages: defineNames(messageFilters, 0)
    .pipe(z.array(z.enum(messageFilters)))
    .nullish()
    .describe(`A comma-separated string or an array of ${formatNames(messageFilters)}.`),
  secret: z
    .string()
    .regex(/^[\x21-\x7e]*$/, 'must be ASCII without spaces')
    .max(limits.maxWebhookSecretLength)
    .optional()
    .describe(
      'Signs deliveries. `whsec_` and base64 of 24 to 64 bytes is decoded; any other secret is used as it is. If absent, the present one stays while scheme, host and port of `url` do; the empty string removes it.',
    ),
  chats: Chats.optional(),
  headers: ExtraHeaders.optional(),
  format: Format.optional().describe('The form of its events: `contract`, or one of `dialects`.'),
  addUrlEvents: No.describe('Not supported: must be false.'),
  addUrlTypesMessages: No.describe('Not supported: must be false.'),
})

/** What these fields would set is not there any more. */
const alone = {
  propertyNames: {
    not: { enum: ['url', 'events', 'excludeMessages', 'enabled', 'secret', 'chats', 'headers', 'format'] },
  },
}

/** Turns delivery off, or returns to the server's webhook: `action` alone. */
export const WebhookEnd = z
  .object({
    action: z
      .enum(endActions)
      .describe('`delete` turns delivery off; `inherit` follows the webhook of the whole server.'),
    id: Id,
  })
  .meta(alone)

export const WebhookRequest = z.union([WebhookSave, WebhookEnd])

/** Removes the global webhook: `action` alone. */
export const ServerWebhookEnd = z
  .object({
    action: z.literal('delete').describe('Ends delivery for every instance that inherits.'),
  })
  .meta(alone)

/** The server has one webhook, which needs no id. Added headers and a choice of chats are each instance's own. */
export const ServerWebhookSave = WebhookSave.omit({ id: true, chats: true, headers: true })
  .extend({
    events: defineEvents([...eventNames, ...operatorEvents]).describe(
      `As of an instance, or \`all\`; and \`${operatorEvents}\`, which tells of trouble with the webhooks of instances.`,
    ),
  })
  .meta({ propertyNames: { not: { enum: ['chats', 'headers'] } } })

export const ServerWebhookRequest = z.union([ServerWebhookSave, ServerWebhookEnd])
