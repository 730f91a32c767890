// Converts webhooks and failed deliveries to the form of the API family.

import { and, eq, inArray } from 'drizzle-orm'
import { dateTime } from '../../shared/clock.ts'
import { events } from '../../shared/db/edge-tables.ts'
import type { Env } from '../env.ts'
import { withoutQuery } from '../records/subscription.ts'
import type { Store } from '../store/database/database.ts'
import type { FailedRow } from '../store/events/events.ts'
import type { ServerWebhookRow } from '../store/server-webhook.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { addressFor, envelopeToSend, typeIn } from './envelopes.ts'

/** The id of the one webhook of the server. */
const SERVER_ID = 'server'

export const theirServerWebhook = (row: ServerWebhookRow | undefined) =>
  row?.registered ? theirs(SERVER_ID, row) : { ...empty, id: SERVER_ID }

/** A list with the one webhook, empty if delivery is off. */
export const theirWebhooks = (row: SubscriptionRow | undefined) =>
  !row || row.mode === 'off' ? [] : [theirs(row.id, { ...row, url: shownUrl(row) })]

const empty = {
  ...{ id: '', enabled: false, url: '', events: [], excludeMessages: [] },
  ...{ addUrlEvents: false, addUrlTypesMessages: false },
}

const theirs = (id: string, row: SubscriptionRow | ServerWebhookRow) => ({
  ...{ id, enabled: row.enabled, url: row.url, events: row.events },
  excludeMessages: row.excludeMessages ?? [],
  ...{ addUrlEvents: row.addUrlEvents, addUrlTypesMessages: row.addUrlTypes },
})

/** The query of the server's webhook is hidden from instances. */
const shownUrl = ({ mode, url }: SubscriptionRow): string => (mode === 'inherited' ? withoutQuery(url) : url)

interface Failed {
  instanceId: string
  instanceName: string
  subscription: SubscriptionRow | undefined
  rows: FailedRow[]
}

/** Newest first, with their payloads. */
export async function theirFailures(
  env: Env,
  store: Store,
  { instanceId, instanceName, subscription, rows }: Failed,
) {
  const ids = rows.map(({ id }) => id)
  const found = await store.db
    .select({ id: events.id, payload: events.payload })
    .from(events)
    .where(and(eq(events.instanceId, instanceId), inArray(events.id, ids)))
  const payloads = new Map(found.map(({ id, payload }) => [id, payload]))
  return Promise.all(
    rows.map(async (row) => {
      const payload = payloads.get(row.id) ?? {}
      const body = await envelopeToSend(env, store, { ...row, payload }, instanceName)
      const { token: _, ...told } = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
      return {
        created: dateTime(row.createdAt),
        url: subscription
          ? addressFor(env, { ...subscription, url: shownUrl(subscription) }, { ...row, payload })
          : '',
        type: subscription?.mode === 'inherited' ? 'global' : 'local',
        ...{ event: row.type, message_type: typeIn(payload) },
        ...{ status_code: row.lastStatus ?? 0, attempts: row.attempts, error: row.lastError ?? '' },
        payload: told,
      }
    }),
  )
}
