// Answers kept for their Idempotency-Key: the key is taken when a host gets the act, and answered when the request is.

import { and, eq, gt, sql } from 'drizzle-orm'
import { idempotencyKeys } from '../../shared/db/edge-tables.ts'
import { prepare, type Statement } from '../../shared/db/statements.ts'
import type { Store } from './database.ts'
import { isTaken } from './storage-error.ts'
import { instanceOfToken } from './token-validity.ts'

export type KeyRow = typeof idempotencyKeys.$inferSelect

/** Whose key it is, and for what: the act id is known to one request only. */
export interface Claim {
  scope: string
  key: string
  actId: string
  fingerprint: string
  /** Milliseconds. */
  keepFor: number
}

const value = sql.placeholder
const here = and(eq(idempotencyKeys.scope, value('scope')), eq(idempotencyKeys.key, value('key')))

const FIND = prepare((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(and(here, gt(idempotencyKeys.expiresAt, value('now')))),
)
const FIND_OF_CALLER = prepare((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        sql`${idempotencyKeys.scope} = ${instanceOfToken(value('tokenHash'))}`,
        eq(idempotencyKeys.key, value('key')),
        gt(idempotencyKeys.expiresAt, value('now')),
      ),
    ),
)
const DROP_EXPIRED = prepare((db) =>
  db.delete(idempotencyKeys).where(and(here, sql`${idempotencyKeys.expiresAt} <= ${value('now')}`)),
)
// Where another has it this fails, and with it whatever was to be written together.
const TAKE = prepare((db) =>
  db.insert(idempotencyKeys).values({
    ...{ scope: value('scope'), key: value('key'), actId: value('actId') },
    ...{ fingerprint: value('fingerprint'), state: 'handed', messageid: value('messageid') },
    ...{ status: 0, response: null, createdAt: value('now'), expiresAt: value('expiresAt') },
  }),
)
// The same where nothing else is to be written: an expired row makes way in the statement itself, and another's stays.
const CLAIM = `insert into "replays" (scope, key, act_id, fingerprint, state, messageid, status, response, created_at, expires_at)
values (?1, ?2, ?3, ?4, 'handed', ?5, 0, null, ?6, ?7)
on conflict (scope, key) do update set act_id = excluded.act_id, fingerprint = excluded.fingerprint,
  state = excluded.state, messageid = excluded.messageid, status = 0, response = null,
  created_at = excluded.created_at, expires_at = excluded.expires_at
where "replays".expires_at <= excluded.created_at`
const FREE = prepare((db) =>
  db.delete(idempotencyKeys).where(and(here, eq(idempotencyKeys.actId, value('actId')))),
)
const KEEP = prepare((db) =>
  db
    .update(idempotencyKeys)
    .set({
      ...{ state: 'answered', status: sql`${value('status')}`, response: sql`${value('response')}` },
    })
    .where(and(here, eq(idempotencyKeys.actId, value('actId')))),
)

/** What the key stands for, if its time is not over. */
export async function findKey(store: Store, key: Pick<Claim, 'scope' | 'key'>): Promise<KeyRow | undefined> {
  const [row] = await store.read(FIND, { ...key, now: Date.now() })
  return row
}

/** The same under the instance with this token, whether there is one or not. */
export async function findKeyOfCaller(
  store: Store,
  caller: { tokenHash: string; key: string },
): Promise<KeyRow | undefined> {
  const [row] = await store.read(FIND_OF_CALLER, { ...caller, now: Date.now() })
  return row
}

/**
 * From here on the act may take effect; what is written with it, the `effects`, is there if the key is, and only then. Answers false
 * when another request was first.
 */
export async function takeKey(
  store: Store,
  claim: Claim,
  messageid = '',
  effects: Statement[] = [],
): Promise<boolean> {
  const now = Date.now()
  const values = { ...claim, messageid, now, expiresAt: now + claim.keepFor }
  if (effects.length === 0) {
    const { scope, key, actId, fingerprint } = claim
    const args = [scope, key, actId, fingerprint, messageid, now, values.expiresAt]
    const [claimed] = await store.write([{ sql: CLAIM, args }])
    return claimed?.rowsAffected === 1
  }
  try {
    await store.write([DROP_EXPIRED.statement(values), TAKE.statement(values), ...effects])
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

type Owned = Pick<Claim, 'scope' | 'key' | 'actId'>

/** Nothing was done under it. */
export const freeKey = (owned: Owned): Statement => FREE.statement(owned)

export const keepAnswer = (owned: Owned, status: number, response: Uint8Array<ArrayBuffer>): Statement =>
  KEEP.statement({ ...owned, status, response })

export async function purgeKeys(store: Store, atMost: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${idempotencyKeys} where ${idempotencyKeys.expiresAt} <= ${Date.now()} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(idempotencyKeys).where(some)
  return rowsAffected
}
