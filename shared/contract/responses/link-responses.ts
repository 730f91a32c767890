// Responses with one-time links, and what the page behind such a link is told.

import * as z from 'zod'
import { DisconnectReason, Pairing, Status } from '../instance-requests.ts'
import { LinkLanguage, LinkPurpose } from '../link-requests.ts'
import { DateTime } from './response-fields.ts'
import { WebhookRecord } from './webhook-responses.ts'

const LinkRecord = z.object({
  id: z.uuid(),
  purpose: LinkPurpose,
  language: z.union([LinkLanguage, z.literal('')]).describe('Empty if the page follows the browser.'),
  createdAt: DateTime,
  expiresAt: DateTime,
})
export type LinkRecord = z.infer<typeof LinkRecord>

export const LinkCreated = LinkRecord.extend({
  url: z
    .string()
    .describe(
      'The address to send. Its secret stands behind `#`, so that browsers send it to no server and no log has it. Shown only once; only its digest is stored.',
    ),
})
export type LinkCreated = z.infer<typeof LinkCreated>

export const LinkList = z.object({ links: z.array(LinkRecord).describe('Newest first.') })
export type LinkList = z.infer<typeof LinkList>

export const LinkDeleted = z.object({ response: z.string() })
export type LinkDeleted = z.infer<typeof LinkDeleted>

/** The page's own routes are not part of the API. */
export const LinkState = z.object({
  /** What the operator calls the instance. */
  name: z.string(),
  isUsed: z.boolean(),
  expiresAt: z.string(),
  status: Status,
  reason: DisconnectReason,
  pairing: Pairing.optional(),
})
export type LinkState = z.infer<typeof LinkState>

const PortalWebhook = WebhookRecord.pick({
  id: true,
  first: true,
  /** Without its query, which may contain a credential. */
  url: true,
  events: true,
  format: true,
  enabled: true,
  deliveryStatus: true,
}).extend({ inherited: z.boolean() })
export type PortalWebhook = z.infer<typeof PortalWebhook>

/** What the page with the webhooks of an instance is told. */
export const PortalState = z.object({
  name: z.string(),
  expiresAt: z.string(),
  webhooks: z.array(PortalWebhook),
})
export type PortalState = z.infer<typeof PortalState>
