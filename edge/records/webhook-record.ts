// Converts webhooks and their health to the records that callers see.

import { operatorEvents } from '@msgnet/shared/contract/event-names.ts'
import type {
  DeliveryStatus,
  WebhookRecord as ListedRecord,
  ServerWebhook,
  Webhook,
  WebhookHealth,
} from '@msgnet/shared/contract/responses/webhook-responses.ts'
import type { StoredFormat, WebhookFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import type { LastFailure } from '@msgnet/shared/db/edge-tables.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import type { ServerWebhookRow } from '../store/server-webhook-queries.ts'
import type { ListedWebhook, WebhookHealthRow } from '../store/webhook-queries.ts'

/**
 * Whether the instance has asked for its past when it was linked. Until then no `history` is delivered, so a webhook that names it
 * shows it among the events that are ignored.
 */
export const hasAskedForPast = ({ history }: Pick<InstanceRow, 'history'>): boolean =>
  history !== null && history.state !== 'none'

/** The contract's first variant of the response with the instance's webhook. */
export function toWebhookRecord(
  row: ListedWebhook | undefined,
  hasPast: boolean,
  forms: FormatNames,
): Webhook {
  if (!row || row.mode === 'off') {
    return { registered: false, inheritedGlobal: !row, deliveryStatus: idleStatus, webhooks: [] }
  }
  const destinationFields = toDestinationFields(row, hasPast, forms)
  const active = {
    id: row.id,
    ...destinationFields,
    url: row.mode === 'inherited' ? stripQuery(destinationFields.url) : destinationFields.url,
    ...(row.chats && { chats: row.chats }),
  }
  return {
    registered: true,
    ...active,
    inheritedGlobal: row.mode === 'inherited',
    deliveryStatus: toDeliveryStatus(row),
    webhooks: [active],
  }
}

export const toServerWebhookRecord = (
  row: ServerWebhookRow | undefined,
  forms: FormatNames,
): ServerWebhook => ({
  registered: row?.registered ?? false,
  scope: 'server',
  // It is for all instances, whichever have asked.
  ...(row?.registered && toServerFields(row, forms)),
})

function toServerFields(row: ServerWebhookRow, forms: FormatNames) {
  const { events, ...fields } = toDestinationFields(row, false, forms)
  return { ...fields, events: [...events, ...(row.getsWebhookEvents ? operatorEvents : [])] }
}

/** Without the columns that no record shows. */
type Shown<Row> = Omit<
  Row,
  | 'addUrlEvents'
  | 'addUrlTypes'
  | 'formatOptions'
  | 'getsWebhookEvents'
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'cursor'
  | 'lane'
  | 'mode'
  | 'position'
  | 'reportedTrouble'
  | 'gaveUpAt'
>

/** Those of `Dialects`. */
interface FormatNames {
  nameFormat(stored: StoredFormat): WebhookFormat
}

const toDestinationFields = (
  row: Shown<ServerWebhookRow> | Shown<ListedWebhook>,
  hasPast: boolean,
  forms: FormatNames,
) => ({
  url: row.url,
  ...sortEvents(row, hasPast),
  enabled: row.enabled,
  format: forms.nameFormat(row.format),
  excludeMessages: row.excludeMessages,
  hasSecret: row.secret !== null,
  secretSealed: row.secret !== null,
  createdAt: formatDateTime(row.createdAt),
  updatedAt: formatDateTime(row.updatedAt),
})

function sortEvents(
  { events, ignoredEvents }: Pick<ListedWebhook, 'events' | 'ignoredEvents'>,
  hasPast: boolean,
) {
  if (hasPast || !events.includes('history')) return { events, ignoredEvents }
  return {
    events: events.filter((name) => name !== 'history'),
    ignoredEvents: [...ignoredEvents, 'history' as const],
  }
}

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

type ShownWebhook = Shown<ListedWebhook> & Partial<Pick<ListedWebhook, 'mode' | 'position'>>

/** Of the list of all webhooks of an instance; it is registered. */
export const toListedRecord = (row: ShownWebhook, hasPast: boolean, forms: FormatNames): ListedRecord => ({
  id: row.id,
  ...toDestinationFields(row, hasPast, forms),
  ...(row.mode === 'inherited' && { url: stripQuery(row.url) }),
  first: row.position === 0,
  chats: row.chats,
  headerNames: row.headerNames ?? [],
  deliveryStatus: toDeliveryStatus(row),
})

/** `webhooks` in the response to status: whether there is a webhook, and its health. */
export function toWebhookHealth(row: WebhookHealthRow | undefined): WebhookHealth {
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

function toDeliveryStatus(row: Omit<WebhookHealthRow, 'mode'>): DeliveryStatus {
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
