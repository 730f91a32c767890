// Converts a subscription and the health of its destination to the records that callers see.

import { dateTime } from '../../shared/clock.ts'
import type {
  DeliveryStatus,
  ServerWebhook,
  Webhook,
  WebhookHealth,
} from '../../shared/contract/answers/webhook.ts'
import type { LastFailure } from '../../shared/db/edge-tables.ts'
import type { ServerWebhookRow } from '../store/server-webhook.ts'
import type { Backlog, SubscriptionHealth, SubscriptionRow } from '../store/subscriptions.ts'

type Subscription = (SubscriptionRow & Backlog) | undefined

/** The contract's first variant of the instance webhook's answer. */
export function subscriptionRecord(row: Subscription): Webhook {
  if (!row || row.mode === 'off') {
    return { registered: false, inheritedGlobal: !row, deliveryStatus: idle, webhooks: [] }
  }
  const own = destination(row)
  const active = { id: row.id, ...own, url: row.mode === 'inherited' ? withoutQuery(own.url) : own.url }
  return {
    registered: true,
    ...active,
    inheritedGlobal: row.mode === 'inherited',
    deliveryStatus: deliveryStatus(row),
    webhooks: [active],
  }
}

export const serverWebhookRecord = (row: ServerWebhookRow | undefined): ServerWebhook => ({
  registered: row?.registered ?? false,
  scope: 'server',
  ...(row?.registered && destination(row)),
})

const destination = (row: SubscriptionRow | ServerWebhookRow) => ({
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  excludeMessages: row.excludeMessages,
  hasSecret: row.secret !== null,
  secretSealed: row.secret !== null,
  createdAt: dateTime(row.createdAt),
  updatedAt: dateTime(row.updatedAt),
  ignoredEvents: row.ignoredEvents,
})

/** `webhooks` in the answer to status: whether there is a subscription, and its health. */
export function webhookHealth(row: SubscriptionHealth | undefined): WebhookHealth {
  if (!row || row.mode === 'off') return { registered: false, inheritedGlobal: !row }
  const { mode, enabled } = row
  return {
    registered: true,
    inheritedGlobal: mode === 'inherited',
    enabled,
    deliveryStatus: deliveryStatus(row),
  }
}

/** The query may contain a credential of the operator. */
export const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? ''

const idle: DeliveryStatus = {
  pending: 0,
  dead: 0,
  lastDeliveredAt: '',
  lastFailure: null,
  paused: '',
  pausedUntil: null,
}

function deliveryStatus(row: SubscriptionHealth): DeliveryStatus {
  return {
    pending: row.pending,
    dead: row.dead,
    lastDeliveredAt: dateTime(row.lastDeliveredAt),
    lastFailure: row.lastFailure && failure(row.lastFailure),
    paused: row.gone ? 'gone' : row.enabled ? '' : 'disabled',
    pausedUntil: row.retryAt > Date.now() ? dateTime(row.retryAt) : null,
  }
}

const failure = (last: LastFailure) => ({ ...last, at: dateTime(last.at) })
