// The columns with sealed values in the databases of edge and host, with the purpose of each.

import type { Purpose } from '@msgnet/shared/seal.ts'

export interface SealedColumn {
  table: string
  column: string
  purpose: Purpose
  /** SQL for the context of a row's sealed value, as the sealing code writes it. */
  context: string
}

export const hostColumns: SealedColumn[] = [
  {
    table: 'credentials',
    column: 'value',
    purpose: 'host/credential',
    context: `'credential:' || instance || ':' || kind || ':' || id`,
  },
  { table: 'sessions', column: 'proxy', purpose: 'host/proxy', context: `'proxy:' || instance` },
  { table: 'stored_media', column: 'key', purpose: 'host/media', context: `'media:' || name` },
  {
    table: 'scheduled_files',
    column: 'bytes',
    purpose: 'host/scheduled-file',
    context: `'scheduled:' || instance || ':' || messageid || ':' || place`,
  },
]

const ownSecret = {
  purpose: 'edge/webhook-secret',
  context: `'webhook-secret:' || case mode when 'inherited' then 'server' else instance_id end`,
} as const
const furtherSecret = { purpose: 'edge/webhook-secret', context: `'webhook-secret:' || id` } as const
const serverSecret = { purpose: 'edge/webhook-secret', context: `'webhook-secret:server'` } as const

export const edgeColumns: SealedColumn[] = [
  { table: 'subscriptions', column: 'secret', ...ownSecret },
  { table: 'subscriptions', column: 'previous_secret', ...ownSecret },
  {
    table: 'subscriptions',
    column: 'headers',
    purpose: 'edge/webhook-headers',
    context: `'webhook-headers:' || instance_id`,
  },
  { table: 'further_webhooks', column: 'secret', ...furtherSecret },
  { table: 'further_webhooks', column: 'previous_secret', ...furtherSecret },
  {
    table: 'further_webhooks',
    column: 'headers',
    purpose: 'edge/webhook-headers',
    context: `'webhook-headers:' || id`,
  },
  { table: 'server_webhook', column: 'secret', ...serverSecret },
  { table: 'server_webhook', column: 'previous_secret', ...serverSecret },
  {
    table: 'idempotency_keys',
    column: 'response',
    purpose: 'edge/replay',
    context: `'replay:' || scope || ':' || key`,
  },
  { table: 'proxies', column: 'url', purpose: 'edge/proxy', context: `'proxy:' || instance_id` },
  { table: 'instances', column: 'pairing', purpose: 'edge/pairing', context: `'pairing:' || id` },
  {
    table: 'instance_tokens',
    column: 'token',
    purpose: 'edge/instance-token',
    context: `'instance-token:' || instance_id`,
  },
  {
    table: 'events',
    column: 'last_response',
    purpose: 'edge/last-response',
    context: `'last-response:' || id`,
  },
  {
    table: 'further_deliveries',
    column: 'last_response',
    purpose: 'edge/last-response',
    context: `'last-response:' || event_id`,
  },
  {
    table: 'earlier_attempts',
    column: 'response',
    purpose: 'edge/last-response',
    context: `'last-response:' || event_id`,
  },
  { table: 'late_outcomes', column: 'outcome', purpose: 'edge/late-outcome', context: `'late:' || act` },
]
