// Converts a subscription and the health of its destination to the records that callers see.

import type {
  DeliveryStatus,
  FurtherWebhook,
  ServerWebhook,
  Webhook,
  WebhookHealth,
} from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import type { LastFailure } from '@msgnet/shared/db/edge-tables.ts'
import type { ListedWebhook } from '../store/further-webhook-queries.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import type { ServerWebhookRow } from '../store/server-webhook-queries.ts'
import type { Backlog, SubscriptionHealth, SubscriptionRow } from '../store/subscription-queries.ts'

type Subscription = (SubscriptionRow & Backlog) | undefined

/**
 * Whether the instance has asked for its past when it was linked. Until then no `history` is delivered, so a webhook that names it
 * shows it among the events that are ignored.
 */
export const hasAskedForPast = ({ history }: Pick<InstanceRow, 'history'>): boolean =>
  history !== null && history.state !== 'none'

/** The contract's first variant of the response with the instance's webhook. */
export function toWebhookRecord(row: Subscription, hasPast: boolean): Webhook {
  if (!row || row.mode === 'off') {
    return { registered: false, inheritedGlobal: !row, deliveryStatus: idleStatus, webhooks: [] }
  }
  const destinationFields = toDestinationFields(row, hasPast)
  const active = {
    id: row.id,
    ...destinationFields,
    url: row.mode === 'inherited' ? stripQuery(destinationFields.url) : destinationFields.url,
  }
  return {
    registered: true,
    ...active,
    inheritedGlobal: row.mode === 'inherited',
    deliveryStatus: toDeliveryStatus(row),
    webhooks: [active],
  }
}

export const toServerWebhookRecord = (row: ServerWebhookRow | undefined): ServerWebhook => ({
  registered: row?.registered ?? false,
  scope: 'server',
  // It is for all instances, whichever have asked.
  ...(row?.registered && toDestinationFields(row, false)),
})

/** Without the columns that no record shows. */
type Shown<Row> = Omit<
  Row,
  'addUrlEvents' | 'addUrlTypes' | 'previousSecret' | 'previousSecretUntil' | 'cursor'
>

const toDestinationFields = (
  row: Shown<SubscriptionRow | ServerWebhookRow | ListedWebhook>,
  hasPast: boolean,
) => ({
  url: row.url,
  ...sortEvents(row, hasPast),
  enabled: row.enabled,
  excludeMessages: row.excludeMessages,
  hasSecret: row.secret !== null,
  secretSealed: row.secret !== null,
  createdAt: formatDateTime(row.createdAt),
  updatedAt: formatDateTime(row.updatedAt),
})

function sortEvents(
  { events, ignoredEvents }: Pick<SubscriptionRow, 'events' | 'ignoredEvents'>,
  hasPast: boolean,
) {
  if (hasPast || !events.includes('history')) return { events, ignoredEvents }
  return {
    events: events.filter((name) => name !== 'history'),
    ignoredEvents: [...ignoredEvents, 'history' as const],
  }
}

/** Of the list of all webhooks of an instance; it is registered. */
export const toFirstRecord = (row: SubscriptionRow & Backlog, hasPast: boolean): FurtherWebhook => ({
  ...toListedRecord(row, hasPast),
  ...(row.mode === 'inherited' && { url: stripQuery(row.url) }),
  first: true,
  chats: null,
})

/** Of a new webhook. */
export const idleHealth = {
  pending: 0,
  dead: 0,
  dueAt: 0,
  gone: false,
  lastDeliveredAt: 0,
  failingSince: 0,
  lastFailure: null,
}

export const toFurtherRecord = (row: Shown<ListedWebhook>, hasPast: boolean): FurtherWebhook => ({
  ...toListedRecord(row, hasPast),
  first: false,
  chats: row.chats,
})

const toListedRecord = (row: Shown<(SubscriptionRow & Backlog) | ListedWebhook>, hasPast: boolean) => ({
  id: row.id,
  ...toDestinationFields(row, hasPast),
  headerNames: row.headerNames ?? [],
  deliveryStatus: toDeliveryStatus(row),
})

/** `webhooks` in the response to status: whether there is a subscription, and its health. */
export function toWebhookHealth(row: SubscriptionHealth | undefined): WebhookHealth {
  if (!row || row.mode === 'off') return { registered: false, inheritedGlobal: !row }
  const { mode, enabled } = row
  return {
    registered: true,
    inheritedGlobal: mode === 'inherited',
    enabled,
    deliveryStatus: toDeliveryStatus(row),
  }
}

/** The query may contain a credential of the operator. */
export const stripQuery = (url: string): string => url.split('?', 1)[0] ?? ''

const idleStatus: DeliveryStatus = {
  pending: 0,
  dead: 0,
  lastDeliveredAt: '',
  lastFailure: null,
  failingSince: null,
  cause: '',
  waitingSince: null,
  paused: '',
  pausedUntil: null,
}

function toDeliveryStatus(row: Omit<SubscriptionHealth, 'mode'>): DeliveryStatus {
  const { dueAt, failingSince, lastFailure } = row
  const isDue = dueAt > 0 && dueAt <= Date.now()
  return {
    pending: row.pending,
    dead: row.dead,
    lastDeliveredAt: formatDateTime(row.lastDeliveredAt),
    lastFailure: row.lastFailure && toLastFailure(row.lastFailure),
    failingSince: failingSince ? formatDateTime(failingSince) : null,
    cause: lastFailure && (row.gone || failingSince) ? lastFailure.error : '',
    waitingSince: isDue ? formatDateTime(dueAt) : null,
    paused: row.gone ? 'gone' : row.enabled ? '' : 'disabled',
    pausedUntil: dueAt && !isDue ? formatDateTime(dueAt) : null,
  }
}

const toLastFailure = (last: LastFailure) => ({ ...last, at: formatDateTime(last.at) })
