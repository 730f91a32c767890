// Converts webhooks and failed deliveries to the form of uazapi.

import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { events } from '@msgnet/shared/db/edge-tables.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { EventSource } from '../dialect/event-format.ts'
import type { WebhookRow } from '../objects/due-events.ts'
import { stripQuery } from '../records/webhook-record.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import type { FailedRow } from '../store/events/event-queries.ts'
import type { ServerWebhookRow } from '../store/server-webhook-queries.ts'
import { findMessageType } from './uazapi-envelopes.ts'

/** The id of the one webhook of the server. */
const SERVER_ID = 'server'

export const toUazapiServerWebhook = (row: ServerWebhookRow | undefined) =>
  row?.registered ? toUazapiWebhook(SERVER_ID, row) : { ...emptyWebhook, id: SERVER_ID }

/** The instance's own ones, oldest first, and then the server's: many programs read the first of the list as theirs. */
export function toUazapiWebhooks(all: WebhookRow[]) {
  const ofServer = ({ mode }: WebhookRow) => mode === 'inherited'
  const ordered = [...all.filter((row) => !ofServer(row)), ...all.filter(ofServer)]
  return ordered.map((row) => toUazapiWebhook(row.id, { ...row, url: formatShownUrl(row) }))
}

const emptyWebhook = {
  id: '',
  enabled: false,
  url: '',
  events: [],
  excludeMessages: [],
  addUrlEvents: false,
  addUrlTypesMessages: false,
}

/** With the events that are accepted and not delivered, so that a program finds what it has set. */
const toUazapiWebhook = (id: string, row: WebhookRow | ServerWebhookRow) => ({
  id,
  enabled: row.enabled,
  url: row.url,
  events: [...row.events, ...row.ignoredEvents],
  excludeMessages: row.excludeMessages ?? [],
  addUrlEvents: row.addUrlEvents,
  addUrlTypesMessages: row.addUrlTypes,
})

/** The query of the server's webhook is hidden from instances. */
const formatShownUrl = ({ mode, url }: WebhookRow): string => (mode === 'inherited' ? stripQuery(url) : url)

/** Failed deliveries to one webhook. */
export interface FailureGroup {
  /** Undefined if the first webhook is off now. */
  webhook: WebhookRow | undefined
  rows: FailedRow[]
}

interface FailureList {
  instance: { id: string; name: string }
  groups: FailureGroup[]
  limit: number
}

/** Newest first, with their payloads. */
export async function listUazapiFailures(env: Env, store: Store, { instance, groups, limit }: FailureList) {
  const failures = groups
    .flatMap(({ webhook, rows }) => rows.map((row) => ({ webhook, row })))
    .sort((one, other) => other.row.seq - one.row.seq)
    .slice(0, limit)
  const ids = failures.map(({ row }) => row.id)
  const payloadRows = await store.db
    .select({ id: events.id, payload: events.payload })
    .from(events)
    .where(and(eq(events.instanceId, instance.id), inArray(events.id, ids)))
  const payloads = new Map(payloadRows.map(({ id, payload }) => [id, payload]))
  return Promise.all(
    failures.map(async ({ webhook, row }) => {
      const payload = payloads.get(row.id) ?? {}
      const shown = webhook && { ...webhook, url: formatShownUrl(webhook) }
      const { url, envelope } = await showEvent(env, store, { ...row, payload }, { instance, webhook: shown })
      return {
        created: formatDateTime(row.createdAt),
        url,
        type: webhook?.mode === 'inherited' ? 'global' : 'local',
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

async function showEvent(
  env: Env,
  store: Store,
  event: EventSource,
  { instance, webhook }: { instance: FailureList['instance']; webhook: WebhookRow | undefined },
) {
  const receiver = { ...webhook, events: undefined, excludeMessages: null }
  const target = { store, instanceName: instance.name, handle: null, receiver }
  const [part] = await env.dialect.format.toParts(event, target)
  const body = await part?.createBody()
  if (!part || !body || typeof body === 'string') return { url: part?.url ?? '', envelope: {} }
  const { token: _, ...envelope } = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
  return { url: part.url, envelope }
}
