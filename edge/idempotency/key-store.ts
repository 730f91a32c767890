// Queries for Idempotency-Keys: a key is taken before a host gets the act, and gets its stored answer when the request is answered.

import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { idempotencyKeys } from '../../shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '../../shared/db/prepared-queries.ts'
import { writeInBatches } from '../store/database/batches.ts'
import { addBulkForm, DATABASE_NOW, readRows, type Store } from '../store/database/open-store.ts'
import { GIVEN } from '../store/database/query-types.ts'
import { isTaken } from '../store/database/storage-error.ts'
import { createQueryByToken, FIND_BY_TOKEN, type InstanceRow } from '../store/instance-queries.ts'
import { selectInstanceByToken } from '../store/token-validity.ts'

export type KeyRow = typeof idempotencyKeys.$inferSelect

/** The key, its owner and its request. Only one request knows the act id. */
export interface Claim {
  scope: string
  key: string
  actId: string
  fingerprint: string
  /** Milliseconds. */
  retentionMs: number
}

const value = sql.placeholder
const here = and(eq(idempotencyKeys.scope, value('scope')), eq(idempotencyKeys.key, value('key')))

const FIND = prepareQuery((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(and(here, gt(idempotencyKeys.expiresAt, value('now')))),
)
const FIND_OF_CALLER = prepareQuery((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        sql`${idempotencyKeys.scope} = ${selectInstanceByToken(value('tokenHash'))}`,
        eq(idempotencyKeys.key, value('key')),
        gt(idempotencyKeys.expiresAt, value('now')),
      ),
    ),
)
const DROP_EXPIRED = prepareQuery((db) =>
  db.delete(idempotencyKeys).where(and(here, sql`${idempotencyKeys.expiresAt} <= ${value('now')}`)),
)
// Fails if another request has the key, and with it all statements of the same write.
const TAKE = prepareQuery((db) =>
  db.insert(idempotencyKeys).values({
    scope: value('scope'),
    key: value('key'),
    actId: value('actId'),
    fingerprint: value('fingerprint'),
    state: 'handed',
    messageid: value('messageid'),
    status: 0,
    response: null,
    createdAt: value('now'),
    expiresAt: value('expiresAt'),
  }),
)
// The same if nothing else is to be written: the statement replaces an expired row and keeps another's.
const buildClaim = (row: string) => `insert into "replays"
  (scope, key, act_id, fingerprint, state, messageid, status, response, created_at, expires_at)
${row}
on conflict (scope, key) do update set act_id = excluded.act_id, fingerprint = excluded.fingerprint,
  state = excluded.state, messageid = excluded.messageid, status = 0, response = null,
  created_at = excluded.created_at, expires_at = excluded.expires_at
where "replays".expires_at <= excluded.created_at`
const CLAIM = buildClaim("values (?1, ?2, ?3, ?4, 'handed', ?5, 0, null, ?6, ?7)")
// The instance with this token, if its session can send at this moment.
const SENDERS = `join hosts on hosts.id = instances.host_id and hosts.lease_until > ${DATABASE_NOW}
where instances.kind <> 'calls' and instances.status = 'connected' and instances.logged_in and`
const CLAIM_OF_SENDER = `${buildClaim(`select ?1, ?2, ?3, ?4, 'handed', ?5, 0, null, ?6, ?7
from instances ${SENDERS} instances.id = ?1 and (instances.token_hash = ?8
  or (instances.previous_token_hash = ?8 and instances.previous_token_until > ${DATABASE_NOW}))`)}
returning act_id`
const CLAIMS_OF_SENDERS = `${buildClaim(`select instances.id, given.value ->> 1, given.value ->> 2, given.value ->> 3, 'handed',
  given.value ->> 4, 0, null, given.value ->> 5, given.value ->> 6
from ${GIVEN} join instances on instances.id = given.value ->> 0 ${SENDERS} (instances.token_hash = given.value ->> 7
  or (instances.previous_token_hash = given.value ->> 7 and instances.previous_token_until > ${DATABASE_NOW}))`)}
returning act_id`
const FREE = prepareQuery((db) =>
  db.delete(idempotencyKeys).where(and(here, eq(idempotencyKeys.actId, value('actId')))),
)
const KEEP = prepareQuery((db) =>
  db
    .update(idempotencyKeys)
    .set({ state: 'answered', status: sql`${value('status')}`, response: sql`${value('response')}` })
    // A certain outcome stays: a request that timed out must not make it unknown again.
    .where(and(here, eq(idempotencyKeys.actId, value('actId')), sql`(state = 'handed' or status = 504)`)),
)

/** The row of the key, if it has not expired. */
export async function findKey(store: Store, key: Pick<Claim, 'scope' | 'key'>): Promise<KeyRow | undefined> {
  const [row] = await store.read(FIND, { ...key, now: Date.now() })
  return row
}

/** The same for the instance with this token; finds nothing if there is no such instance. */
export async function findKeyByToken(
  store: Store,
  caller: { tokenHash: string; key: string },
): Promise<KeyRow | undefined> {
  const [row] = await store.read(FIND_OF_CALLER, { ...caller, now: Date.now() })
  return row
}

/**
 * After this the act may take effect. The `effects` are written in the same transaction as the key. Returns false if another
 * request was first.
 */
export async function claimKey(
  store: Store,
  claim: Claim,
  messageid = '',
  effects: Statement[] = [],
): Promise<boolean> {
  const now = Date.now()
  const values = { ...claim, messageid, now, expiresAt: now + claim.retentionMs }
  if (effects.length === 0) {
    const [claimed] = await store.write([{ sql: CLAIM, args: toClaimArgs(claim, messageid, now) }])
    return claimed?.rowsAffected === 1
  }
  try {
    await store.write([DROP_EXPIRED.bind(values), TAKE.bind(values), ...effects])
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

const toClaimArgs = (
  { scope, key, actId, fingerprint, retentionMs }: Claim,
  messageid: string,
  now: number,
) => [scope, key, actId, fingerprint, messageid, now, now + retentionMs]

export interface Sender {
  /** Undefined if the token is not known. */
  instance: InstanceRow | undefined
  taken: boolean
}

/** Reads the caller and takes the key if it is free, in one transaction. Does not read what the key holds already. */
export async function claimKeyOfSender(
  store: Store,
  claim: Claim,
  { tokenHash, messageid }: { tokenHash: string; messageid: string },
): Promise<Sender> {
  const args = [...toClaimArgs(claim, messageid, Date.now()), tokenHash]
  const [instance, taken] = await store.write([
    createQueryByToken(tokenHash),
    addBulkForm({ sql: CLAIM_OF_SENDER, args }, { sql: CLAIMS_OF_SENDERS, item: args, name: claim.actId }),
  ])
  return { instance: instance && readRows(FIND_BY_TOKEN, instance)[0], taken: taken?.rows.length === 1 }
}

export type Owned = Pick<Claim, 'scope' | 'key' | 'actId'>

/** For a key under which nothing was done. */
export const releaseKey = (owned: Owned): Statement => FREE.bind(owned)

export const storeResponse = (owned: Owned, status: number, response: Uint8Array<ArrayBuffer>): Statement =>
  KEEP.bind({ ...owned, status, response })

/** Deletes the stored answers of an owner that has ended: nobody can ask for them any more. `also`: the statements before it. */
export async function deleteKeys(
  store: Store,
  scope: string,
  also: (some: SQL) => Statement[] = () => [],
): Promise<void> {
  await writeInBatches(store, async (atMost) => {
    const some = sql`from ${idempotencyKeys} where scope = ${scope} order by key limit ${atMost}`
    const drop = store.db.delete(idempotencyKeys).where(sql`rowid in (select rowid ${some})`)
    const results = await store.write([...also(some), drop])
    return results.at(-1)?.rowsAffected ?? 0
  })
}

export async function purgeKeys(store: Store, atMost: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${idempotencyKeys} where ${idempotencyKeys.expiresAt} <= ${Date.now()} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(idempotencyKeys).where(some)
  return rowsAffected
}
