// Webhook configuration as callers write it (contract, "Webhooks"). What `url` may be is judged in the edge, by address.

import * as z from 'zod'
import { deliveredEvents, ignoredEvents, messageFilters } from './events.ts'
import { limits } from './version.ts'

export const eventNames: readonly string[] = [...deliveredEvents, ...ignoredEvents]

/** A comma-separated string or an array; answers trimmed, unique, non-empty names. */
const Names = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [
    ...new Set(
      (typeof given === 'string' ? given.split(',') : given).map((name) => name.trim()).filter(Boolean),
    ),
  ])

export const Filters = Names.pipe(z.array(z.enum(messageFilters)))

export const EventList = Names.pipe(z.array(z.string()).min(1).max(64))

export const Secret = z
  .string()
  .regex(/^[\x21-\x7e]*$/, 'ASCII without spaces')
  .max(limits.webhookSecretLength)

export const WebhookUrl = z.string().min(1).max(limits.webhookUrlLength)

export const instanceActions = ['add', 'update', 'delete', 'inherit'] as const
export const globalActions = ['add', 'update', 'delete'] as const
