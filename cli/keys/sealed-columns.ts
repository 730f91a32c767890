// The columns with sealed values in the databases of edge and host, with the purpose of each.

import type { Purpose } from '@msgnet/shared/seal.ts'

export interface SealedColumn {
  table: string
  column: string
  /** The primary key of a table without rowids. */
  key?: readonly string[]
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
  context: `'webhook-secret:' || case when mode = 'inherited' then 'server' when position = 0 then instance_id else id end`,
} as const
const serverSecret = { purpose: 'edge/webhook-secret', context: `'webhook-secret:server'` } as const

const selectResponseContext = (table: string) => `'last-response:' || (select e.id from webhooks w
  join events e on e.instance_id = w.instance_id and e.seq = ${table}.seq where w.lane = ${table}.lane)`

export const edgeColumns: SealedColumn[] = [
  { table: 'webhooks', column: 'secret', ...ownSecret },
  { table: 'webhooks', column: 'previous_secret', ...ownSecret },
  {
    table: 'webhooks',
    column: 'headers',
    purpose: 'edge/webhook-headers',
    context: `'webhook-headers:' || iif(position = 0, instance_id, id)`,
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
    table: 'deliveries',
    column: 'last_response',
    key: ['lane', 'seq'],
    purpose: 'edge/last-response',
    context: selectResponseContext('deliveries'),
  },
  {
    table: 'delivery_attempts',
    column: 'response',
    key: ['lane', 'seq', 'number'],
    purpose: 'edge/last-response',
    context: selectResponseContext('delivery_attempts'),
  },
  {
    table: 'uploaded_pieces',
    column: 'bytes',
    purpose: 'edge/uploaded-file',
    context: `'uploaded-file:' || file_id || ':' || place`,
  },
  { table: 'late_outcomes', column: 'outcome', purpose: 'edge/late-outcome', context: `'late:' || act` },
]
