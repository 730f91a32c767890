// Converts webhooks and failed deliveries to the form of the API family.

import { and, eq, inArray } from 'drizzle-orm'
import { formatDateTime } from '../../shared/date-time.ts'
import { events } from '../../shared/db/edge-tables.ts'
import type { Env } from '../env.ts'
import { stripQuery } from '../records/webhook-record.ts'
import type { Store } from '../store/database/open-store.ts'
import type { FailedRow } from '../store/events/event-queries.ts'
import type { ServerWebhookRow } from '../store/server-webhook-queries.ts'
import type { SubscriptionRow } from '../store/subscription-queries.ts'
import { findMessageType } from './family-envelopes.ts'

/** The id of the one webhook of the server. */
const SERVER_ID = 'server'

export const toFamilyServerWebhook = (row: ServerWebhookRow | undefined) =>
  row?.registered ? toFamilyWebhook(SERVER_ID, row) : { ...emptyWebhook, id: SERVER_ID }

/** A list with the one webhook, empty if delivery is off. */
export const toFamilyWebhooks = (row: SubscriptionRow | undefined) =>
  !row || row.mode === 'off' ? [] : [toFamilyWebhook(row.id, { ...row, url: formatShownUrl(row) })]

const emptyWebhook = {
  id: '',
  enabled: false,
  url: '',
  events: [],
  excludeMessages: [],
  addUrlEvents: false,
  addUrlTypesMessages: false,
}

const toFamilyWebhook = (id: string, row: SubscriptionRow | ServerWebhookRow) => ({
  id,
  enabled: row.enabled,
  url: row.url,
  events: row.events,
  excludeMessages: row.excludeMessages ?? [],
  addUrlEvents: row.addUrlEvents,
  addUrlTypesMessages: row.addUrlTypes,
})

/** The query of the server's webhook is hidden from instances. */
const formatShownUrl = ({ mode, url }: SubscriptionRow): string =>
  mode === 'inherited' ? stripQuery(url) : url

interface FailureList {
  instanceId: string
  instanceName: string
  subscription: SubscriptionRow | undefined
  rows: FailedRow[]
}

/** Newest first, with their payloads. */
export async function listFamilyFailures(
  env: Env,
  store: Store,
  { instanceId, instanceName, subscription, rows }: FailureList,
) {
  const ids = rows.map(({ id }) => id)
  const payloadRows = await store.db
    .select({ id: events.id, payload: events.payload })
    .from(events)
    .where(and(eq(events.instanceId, instanceId), inArray(events.id, ids)))
  const payloads = new Map(payloadRows.map(({ id, payload }) => [id, payload]))
  return Promise.all(
    rows.map(async (row) => {
      const payload = payloads.get(row.id) ?? {}
      const body = await env.dialect.formatEnvelope(store, { ...row, payload }, instanceName)
      const { token: _, ...envelope } = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
      return {
        created: formatDateTime(row.createdAt),
        url: subscription
          ? env.dialect.formatAddress(
              { ...subscription, url: formatShownUrl(subscription) },
              { ...row, payload },
            )
          : '',
        type: subscription?.mode === 'inherited' ? 'global' : 'local',
        event: row.type,
        message_type: findMessageType(payload),
        status_code: row.lastStatus ?? 0,
        attempts: row.attempts,
        error: row.lastError ?? '',
        payload: envelope,
      }
    }),
  )
}
