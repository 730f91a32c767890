// A file of the edge with as much as a large gateway has: rows as the product writes them, in bulk.

import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import Database from 'libsql'
import { type DeliveryValues, insertDeliveries } from '../stored-deliveries.ts'

const DAY = 86_400_000
const MANY = 100_000
/** Allowlisted, and refuses connections. */
export const UNUSED_PLACE = '127.0.0.1:9'
const UNUSED_URL = `http://${UNUSED_PLACE}/hook`

export interface Amounts {
  events: number
  instances: number
}

/** The instances that the rows of the bench use, with their tokens. */
export interface Filled {
  ids: Record<Role, string>
  tokens: Record<Role, string>
  adminTokenId: string
}

/**
 * `large`: delivered events, most of all. `waiting`, `failing`: events before their first attempt, and after several failed
 * ones. `dead`: dead letters. `moved`: events that wait for a destination which is changed. `erased`: everything, to be deleted.
 */
export const roles = ['large', 'waiting', 'failing', 'dead', 'moved', 'erased'] as const
export type Role = (typeof roles)[number]

const formatUuid = (prefix: string, n: string) =>
  `'${prefix}' || substr('0000000' || (${n}), -7) || '-0000-4000-8000-' || substr('000000000000' || (${n}), -12)`

export const PAYLOAD = JSON.stringify({
  event: { Chat: '5511999999999', IsGroup: false, Timestamp: '2026-11-23T05:00:00.000Z' },
  message: {
    messageid: '3EB0C767D82B0A6F0C2E',
    chatid: '5511999999999',
    fromMe: false,
    isGroup: false,
    wasSentByApi: false,
    type: 'text',
    text: 'Good morning, is the blue one still there? '.repeat(6),
    senderName: 'Ana',
  },
})

const listNumbers = (count: number) =>
  `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`

export async function fillDatabase(file: string, { events, instances }: Amounts): Promise<Filled> {
  const database = new Database(file)
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -400000')
  const now = Date.now()
  database.exec('begin')
  addInstances(database, instances, now)
  const filled = await assignRoles(database)
  addRoleEvents(database, filled, events, now)
  addOtherEvents(database, (events - 5 * MANY) * 0.4, instances, now)
  database.exec(
    `update instances set last_seq = coalesce((select max(seq) from events where instance_id = instances.id), 0)`,
  )
  addOtherRows(database, filled, now)
  database.exec('commit')
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
  return filled
}

function addInstances(database: Database.Database, count: number, now: number): void {
  database.exec(`${listNumbers(count)} insert into instances (id, kind, name, company_id, token_hash, status, jid, last_disconnect,
      last_disconnect_reason, last_seq, created_at, updated_at)
    select ${formatUuid('a', 'n')}, 'msgnet', 'Instance ' || n, 'company-' || (n % 100), 'hash-' || n, 'disconnected',
      (5511900000000 + n) || '@s.whatsapp.net', ${now - DAY}, 'logged_out', 0, ${now - 30 * DAY} + n, ${now} from numbers`)
  database.exec(`insert into webhooks (instance_id, id, position, mode, url, events, ignored_events, enabled, cursor, since, created_at, updated_at)
    select id, id, 0, iif(name < 'Instance 2', 'own', 'inherited'), '${UNUSED_URL}', '["messages","connection"]', '[]', true, 0, 0, 0, 0
    from instances`)
}

/** Gives each role an instance and a token of its own. */
async function assignRoles(database: Database.Database): Promise<Filled> {
  const filled: Filled = { ids: {}, tokens: {}, adminTokenId: crypto.randomUUID() } as never
  for (const [at, role] of roles.entries()) {
    const [{ id }] = database
      .prepare(`select id from instances order by created_at limit 1 offset ${10 + at}`)
      .all([]) as [{ id: string }]
    const token = createToken('instance')
    const hash = await hashSha256(token)
    database.exec(`update instances set token_hash = '${hash}', name = '${role}' where id = '${id}'`)
    filled.ids[role] = id
    filled.tokens[role] = token
  }
  return filled
}

function addRoleEvents(database: Database.Database, { ids }: Filled, events: number, now: number): void {
  let prefix = 0
  const addEvents = (
    count: number,
    id: string,
    delivery?: DeliveryValues,
    time = `${now - 20 * DAY} + n`,
  ) => {
    database.exec(`${listNumbers(count)} insert into events (id, instance_id, seq, type, owner, payload, at, created_at, messageid, status)
      select ${formatUuid((++prefix).toString(16), 'n')}, '${id}', n, 'messages', '5511999999999', '${PAYLOAD}',
        ${time}, ${time}, 'ID' || n, 'delivered' from numbers`)
    if (!delivery) return
    database.exec(insertDeliveries(`e.instance_id = '${id}'`, delivery))
    database.exec(`update webhooks set cursor = ${Math.floor(count)} where instance_id = '${id}'`)
  }
  const delivered = { status: "'delivered'", last_attempt_at: now, last_status: 200 }
  const refused = { attempts: 4, last_attempt_at: now, last_status: 503, last_error: "'http_503'" }
  addEvents(MANY, ids.waiting)
  addEvents(MANY, ids.failing, { ...refused, status: "'pending'", next_attempt_at: now + DAY })
  addEvents(MANY, ids.moved)
  addEvents(MANY, ids.dead, {
    ...refused,
    status: "'dead'",
    attempts: 12,
    dead_at: now,
    last_attempt_at: now - 20 * DAY,
    last_response: 'randomblob(100)',
  })
  // Those that came in the last day.
  addEvents(MANY, ids.erased, delivered, `${now - DAY} + n * ${DAY / MANY}`)
  const rest = events - 5 * MANY
  addEvents(rest * 0.6, ids.large, delivered)
}

/** Delivered events of all other instances, half of them older than the retention. */
function addOtherEvents(database: Database.Database, count: number, instances: number, now: number): void {
  database.exec(`${listNumbers(count)} insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
    select ${formatUuid('f', 'n')}, ${formatUuid('a', `1000 + n % ${instances - 1000}`)}, 1 + n / ${instances - 1000}, 'messages', '',
      '${PAYLOAD}', n, iif(n <= 50000, ${now - 40 * DAY}, ${now - 10 * DAY}) + n, 'delivered', 0 from numbers`)
}

/** Stored responses, the audit log, late outcomes and an admin token. */
function addOtherRows(database: Database.Database, { ids, adminTokenId }: Filled, now: number): void {
  for (const scope of [ids.erased, `token:${adminTokenId}`, 'admin'])
    database.exec(`${listNumbers(MANY)} insert into idempotency_keys (scope, key, fingerprint, state, act_id, status, response, created_at, expires_at)
      select '${scope}', 'key-' || n, hex(randomblob(32)), 'answered', ${formatUuid('e', 'n')}, 200, randomblob(300), ${now},
        ${scope === 'admin' ? now - 1 : now + DAY} from numbers`)
  database.exec(`${listNumbers(MANY)} insert into audit (at, action, actor, actor_id, actor_name, target, address, request_id, outcome)
    select iif(n <= 50000, ${now - 500 * DAY}, ${now - 300 * DAY}) + n, 'instance.create', 'root', '', '', ${formatUuid('a', 'n % 10000')},
      '127.0.0.1', ${formatUuid('d', 'n')}, 'done' from numbers`)
  database.exec(`${listNumbers(MANY)} insert into late_outcomes (act, outcome, instance_id, at)
    select ${formatUuid('c', 'n')}, randomblob(200), '${ids.erased}', iif(n <= 50000, ${now - 2 * DAY}, ${now}) from numbers`)
  database.exec(`insert into admin_tokens (id, name, scope, token_hash, created_at)
    values ('${adminTokenId}', 'busy', 'admin', 'busy', ${now})`)
}
