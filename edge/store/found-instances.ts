// The list of instances that operators search: filtered, sorted, and in pages that stay stable while instances change.

import type { ListedInstance } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { type Store, toRecords } from './database/open-store.ts'
import {
  ALL_DEAD,
  ALL_PENDING,
  FOLDED_NAME,
  IS_LEASED,
  JOIN_WORST,
  JOINS,
  LAST_EVENT_AT,
  NUMBER,
  REASON,
  STATE,
  selectWebhookSince,
  selectWebhookState,
} from './instance-states.ts'
import { buildWordConditions, type SearchCondition } from './search-words.ts'

export interface Search {
  state?: string[] | undefined
  reason?: string[] | undefined
  webhook?: string[] | undefined
  host?: string[] | undefined
  /** With at least one delivery of one of these outcomes. */
  events?: (keyof typeof eventConditions)[] | undefined
  search?: string | undefined
  sort: keyof typeof sortKeys
  limit: number
  /** The last instance of the page before. */
  after?: Position | undefined
  areWebhooksEnabled: boolean
}

/** Where an instance stands in the order. */
export interface Position {
  key: string | number
  id: string
}

/** By name, by time, and so on; the id decides between equal keys. */
const sortKeys = {
  name: FOLDED_NAME,
  '-name': FOLDED_NAME,
  created: 'i.created_at',
  '-created': 'i.created_at',
  state: `case ${STATE} when 'disconnected' then '0' when 'connecting' then '1' else '2' end || ${FOLDED_NAME}`,
  lastEvent: `coalesce(${LAST_EVENT_AT}, 0)`,
  '-lastEvent': `coalesce(${LAST_EVENT_AT}, 0)`,
  '-pending': ALL_PENDING,
}

/** A payload that could not be stored is dead too, without a webhook. */
const HAS_NOT_WHOLE = `exists (select 1 from events indexed by events_not_whole
  where events.instance_id = i.id and events.refused is not null)`

const eventConditions = {
  pending: `${ALL_PENDING} > 0`,
  dead: `(${ALL_DEAD} > 0 or ${HAS_NOT_WHOLE})`,
}

/** A row of the page. Without a page there is one row, with the total only. */
export interface SearchRow extends Position, Pick<ListedInstance, 'number' | 'reason' | 'pending' | 'dead'> {
  total: number
  kind: ListedInstance['kind']
  name: string
  companyId: string
  handle: string | null
  jid: string
  profileName: string
  status: ListedInstance['status']
  isLeased: 0 | 1
  /** JSON. */
  coverage: string | null
  leaseUntil: number
  lastDisconnect: number
  lastDisconnectReason: ListedInstance['lastDisconnectReason']
  delayMin: number
  delayMax: number
  createdAt: number
  updatedAt: number
  lastEventAt: number | null
  webhookState: ListedInstance['webhook']['state']
  webhookSince: number | null
  webhookId: string | null
  webhookMode: string | null
  failure: string | null
  failureStatus: number | null
  hostId: string | null
  hostRegion: string
}

export async function searchInstances(store: Store, search: Search) {
  const { sort, limit, after, areWebhooksEnabled } = search
  const conditions = listConditions(search)
  const webhookState = selectWebhookState(areWebhooksEnabled)
  const [order, beyond] = sort.startsWith('-') ? ['desc', '<'] : ['asc', '>']
  const position = after
    ? { sql: `where (key, id) ${beyond} (?, ?)`, args: [after.key, after.id] }
    : undefined
  const sql = `
with matched as materialized (
  select i.id as id, ${sortKeys[sort]} as key from instances i ${JOINS} where ${conditions.map((one) => one.sql).join(' and ') || 'true'}
), page as materialized (
  select key, id from matched ${position?.sql ?? ''} order by key ${order}, id ${order} limit ?
)
select (select count(*) from matched) as total, page.key as key, i.id as id, i.kind as kind, i.name as name,
  i.company_id as companyId, i.handle as handle, i.jid as jid, i.profile_name as profileName, i.status as status,
  ${IS_LEASED} as isLeased, i.coverage as coverage, coalesce(h.lease_until, 0) as leaseUntil,
  i.last_disconnect as lastDisconnect, i.last_disconnect_reason as lastDisconnectReason,
  i.delay_min as delayMin, i.delay_max as delayMax, i.created_at as createdAt, i.updated_at as updatedAt,
  ${NUMBER} as number, ${REASON} as reason, ${LAST_EVENT_AT} as lastEventAt, ${ALL_PENDING} as pending, ${ALL_DEAD} as dead,
  ${webhookState} as webhookState, ${selectWebhookSince(webhookState)} as webhookSince,
  webhooks.id as webhookId, coalesce(webhooks.mode, nullif(f.mode, 'none')) as webhookMode,
  webhooks.last_failure ->> 'error' as failure, webhooks.last_failure ->> 'status' as failureStatus,
  h.id as hostId, h.region as hostRegion
from (select 1) left join page on true left join instances i on i.id = page.id ${JOINS} ${JOIN_WORST}
order by page.key ${order}, page.id ${order}`
  const args = [...conditions.flatMap((one) => one.args), ...(position?.args ?? []), limit + 1]
  const [found] = await store.readAll({ sql, args, isLarge: true })
  const rows = (found ? toRecords(found) : []) as unknown as SearchRow[]
  const present = rows.filter(({ id }) => id !== null)
  const page = present.slice(0, limit)
  const last = page.at(-1)
  return {
    rows: page,
    total: rows[0]?.total ?? 0,
    next: last && present.length > limit ? { key: last.key, id: last.id } : undefined,
  }
}

function listConditions({
  state,
  reason,
  webhook,
  host,
  events,
  search,
  areWebhooksEnabled,
}: Search): SearchCondition[] {
  const filters: [string, string[] | undefined][] = [
    [STATE, state],
    [REASON, reason],
    [selectWebhookState(areWebhooksEnabled), webhook],
    ['i.host_id', host],
  ]
  return [
    ...filters.flatMap(([sql, words]) =>
      words ? [{ sql: `${sql} in (select value from json_each(?))`, args: [JSON.stringify(words)] }] : [],
    ),
    ...(events
      ? [{ sql: `(${events.map((outcome) => eventConditions[outcome]).join(' or ')})`, args: [] }]
      : []),
    ...(search ? buildWordConditions(search) : []),
  ]
}
