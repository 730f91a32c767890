// The rows of idempotency keys, and the statements that change their state. README.md draws the states.

import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { idempotencyKeys, lateOutcomes } from '@msgnet/shared/db/sealed-tables.ts'
import { and, eq, gt, sql } from 'drizzle-orm'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { GIVEN } from '../runtime/query-types.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'
import { CAN_SEND } from '../store/can-send.ts'
import { writeInBatches } from '../store/database/batches.ts'
import { addBulkForm, DATABASE_NOW, readRows, type Store } from '../store/database/open-store.ts'
import { createQueryByToken, FIND_BY_TOKEN } from '../store/instance-queries.ts'
import { matchesTokenSql, selectInstanceByToken } from '../store/token-validity.ts'

export type KeyRow = typeof idempotencyKeys.$inferSelect

/** What a request claims a key with. Only this request knows the act's id. */
export interface KeyClaim {
  scope: string
  key: string
  actId: string
  fingerprint: string
  retentionMs: number
}

/** The act that a key is claimed for: the message that it sends ('' for none), and the assignment that it is sent under. */
export interface SentAct {
  messageid: string
  epoch: number
  hostId: string
}

/** Identifies the row as that of one request. */
export type KeyOwner = Pick<KeyClaim, 'scope' | 'key' | 'actId'>

const value = sql.placeholder
const isKey = and(eq(idempotencyKeys.scope, value('scope')), eq(idempotencyKeys.key, value('key')))
const isOwner = and(isKey, eq(idempotencyKeys.actId, value('actId')))
const isLive = gt(idempotencyKeys.expiresAt, value('now'))

const FIND = prepareQuery((db) => db.select().from(idempotencyKeys).where(and(isKey, isLive)))
const FIND_BY_TOKEN_AND_KEY = prepareQuery((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        sql`${idempotencyKeys.scope} = ${selectInstanceByToken(value('tokenHash'))}`,
        eq(idempotencyKeys.key, value('key')),
        isLive,
      ),
    ),
)
const DELETE_EXPIRED = prepareQuery((db) =>
  db.delete(idempotencyKeys).where(and(isKey, sql`${idempotencyKeys.expiresAt} <= ${value('now')}`)),
)
// Fails if another request has the key, and with it all statements of the same write.
const INSERT = prepareQuery((db) =>
  db.insert(idempotencyKeys).values({
    scope: value('scope'),
    key: value('key'),
    actId: value('actId'),
    fingerprint: value('fingerprint'),
    state: 'dispatched',
    messageid: value('messageid'),
    epoch: 0,
    hostBoot: '',
    status: 0,
    response: null,
    createdAt: value('now'),
    expiresAt: value('expiresAt'),
  }),
)
const RELEASE = prepareQuery((db) => db.delete(idempotencyKeys).where(isOwner))
const FREE = prepareQuery((db) => db.delete(idempotencyKeys).where(isKey))
const RELEASE_UNSENT = prepareQuery((db) =>
  db.delete(idempotencyKeys).where(and(isOwner, eq(idempotencyKeys.state, 'dispatched'))),
)
const STORE_RESPONSE = prepareQuery((db) =>
  db
    .update(idempotencyKeys)
    .set({ state: 'answered', status: sql`${value('status')}`, response: sql`${value('response')}` })
    // A certain outcome stays: a request that timed out must not make it unknown again.
    .where(and(isOwner, sql`(state = 'dispatched' or status = 504)`)),
)

// A claim without other effects: the statement replaces an expired row and leaves the row of another request as it is.
const buildClaim = (row: string) => `insert into "idempotency_keys"
  (scope, key, act_id, fingerprint, state, messageid, status, response, created_at, expires_at, epoch, host_boot)
${row}
on conflict (scope, key) do update set act_id = excluded.act_id, fingerprint = excluded.fingerprint,
  state = excluded.state, messageid = excluded.messageid, status = 0, response = null,
  created_at = excluded.created_at, expires_at = excluded.expires_at, epoch = excluded.epoch, host_boot = excluded.host_boot
where "idempotency_keys".expires_at <= excluded.created_at`
const CLAIM = buildClaim(`values (?1, ?2, ?3, ?4, 'dispatched', ?5, 0, null, ?6, ?7, ?8,
  coalesce((select boot from hosts where id = ?9), ''))`)
const SENDING_HOST = `join hosts on hosts.id = instances.host_id and hosts.lease_until > ${DATABASE_NOW}`
const CLAIM_AS_SENDER = `${buildClaim(`select ?1, ?2, ?3, ?4, 'dispatched', ?5, 0, null, ?6, ?7, instances.epoch, hosts.boot
from instances ${SENDING_HOST}
where instances.id = ?1 and ${CAN_SEND} and ${matchesTokenSql('instances', '?8')}`)}
returning act_id`
const CLAIMS_AS_SENDERS = `${buildClaim(`select instances.id, given.value ->> 1, given.value ->> 2, given.value ->> 3,
  'dispatched', given.value ->> 4, 0, null, given.value ->> 5, given.value ->> 6, instances.epoch, hosts.boot
from ${GIVEN} join instances on instances.id = given.value ->> 0 ${SENDING_HOST}
where ${CAN_SEND} and ${matchesTokenSql('instances', 'given.value ->> 7')}`)}
returning act_id`

const toClaimArgs = (
  { scope, key, actId, fingerprint, retentionMs }: KeyClaim,
  messageid: string,
  now: number,
) => [scope, key, actId, fingerprint, messageid, now, now + retentionMs]

const formatSealContext = ({ scope, key }: Pick<KeyClaim, 'scope' | 'key'>) => `replay:${scope}:${key}`

export class KeyStore {
  readonly #env: Pick<Env, 'SEAL_KEYS' | 'runtime'>
  readonly #store: Store

  constructor(env: Pick<Env, 'SEAL_KEYS' | 'runtime'>, store: Store) {
    this.#env = env
    this.#store = store
  }

  /** The row of the key, if it has not expired. */
  async find(key: Pick<KeyClaim, 'scope' | 'key'>): Promise<KeyRow | undefined> {
    const [row] = await this.#store.read(FIND, { ...key, now: Date.now() })
    return row
  }

  /** The same for the instance with this token; finds nothing if there is no such instance. */
  async findByToken(caller: { tokenHash: string; key: string }): Promise<KeyRow | undefined> {
    const [row] = await this.#store.read(FIND_BY_TOKEN_AND_KEY, { ...caller, now: Date.now() })
    return row
  }

  /** After this the act may take effect. Returns false if another request was first. */
  async claim(claim: KeyClaim, { messageid, epoch, hostId }: SentAct): Promise<boolean> {
    const args = [...toClaimArgs(claim, messageid, Date.now()), epoch, hostId]
    const [claimed] = await this.#store.write([{ sql: CLAIM, args }])
    return claimed?.rowsAffected === 1
  }

  /** The same for effects in the database itself: they are written in the same transaction. */
  async claimWithEffects(claim: KeyClaim, effects: Statement[]): Promise<boolean> {
    const now = Date.now()
    const values = { ...claim, messageid: '', now, expiresAt: now + claim.retentionMs }
    try {
      await this.#store.write([DELETE_EXPIRED.bind(values), INSERT.bind(values), ...effects])
      return true
    } catch (error) {
      if (isTaken(error)) return false
      throw error
    }
  }

  /** The quick path, in one call to the database: reads the caller (`instance` is undefined for an unknown token), and claims the key if it is free and the session can send. */
  async claimAsSender(claim: KeyClaim, { tokenHash, messageid }: { tokenHash: string; messageid: string }) {
    const args = [...toClaimArgs(claim, messageid, Date.now()), tokenHash]
    const [instance, claimed] = await this.#store.write([
      createQueryByToken(tokenHash),
      addBulkForm({ sql: CLAIM_AS_SENDER, args }, { sql: CLAIMS_AS_SENDERS, item: args, name: claim.actId }),
    ])
    return {
      instance: instance && readRows(FIND_BY_TOKEN, instance)[0],
      isClaimed: claimed?.rows.length === 1,
    }
  }

  /** Makes a key free again whose act was never sent. Returns false if it has a response, or another owner, meanwhile. */
  async releaseUnsent(owner: KeyOwner): Promise<boolean> {
    const [released] = await this.#store.write([RELEASE_UNSENT.bind(owner)])
    return released?.rowsAffected === 1
  }

  /** The statement that stores a response for the key. It is sealed, because it may hold tokens and message text. */
  async storeResponse(
    owner: KeyOwner,
    status: number,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<Statement> {
    const sealer = await findSealer(this.#env, 'edge/replay')
    const bytes = typeof body === 'string' ? encodeUtf8(body) : body
    const response = await sealer.seal(bytes, formatSealContext(owner))
    return STORE_RESPONSE.bind({ ...owner, status, response })
  }

  /** The body of the stored response. */
  async openResponse(row: KeyRow): Promise<Uint8Array<ArrayBuffer>> {
    const sealer = await findSealer(this.#env, 'edge/replay')
    return sealer.open(new Uint8Array(row.response ?? []), formatSealContext(row))
  }
}

/** Another request has the key. */
const isTaken = (error: unknown): boolean =>
  error instanceof Error &&
  (/UNIQUE constraint failed: idempotency_keys/i.test(error.message) || isTaken(error.cause))

/** SQL: the key of this act has no response that says what became of it. */
export const awaitsOutcome = ({ scope, key, act }: Record<'scope' | 'key' | 'act', string>): string =>
  `exists (select 1 from idempotency_keys where scope = ${scope} and key = ${key} and act_id = ${act}
    and (state = 'dispatched' or status = 504))`

/** The statement that makes a key free again, if nothing was done under it. */
export const releaseKey = (owner: KeyOwner): Statement => RELEASE.bind(owner)

/** The same for a key with a response, whose effect was undone. */
export const freeKey = (name: Pick<KeyClaim, 'scope' | 'key'>): Statement => FREE.bind(name)

/** Deletes the keys of an instance, with those of admins that acted for it, or of an admin token, and the late outcomes of their acts. */
export async function deleteKeys(store: Store, scope: string): Promise<void> {
  await writeInBatches(store, async (atMost) => {
    const some = sql`from ${idempotencyKeys} where scope >= ${scope} and scope < ${`${scope}!`} order by scope, key limit ${atMost}`
    const results = await store.write([
      store.db.delete(lateOutcomes).where(sql`${lateOutcomes.act} in (select act_id ${some})`),
      store.db.delete(idempotencyKeys).where(sql`rowid in (select rowid ${some})`),
    ])
    return results.at(-1)?.rowsAffected ?? 0
  })
}

/** Deletes expired keys. */
export async function purgeKeys(store: Store, max: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${idempotencyKeys}
    where ${idempotencyKeys.expiresAt} <= ${Date.now()} limit ${max})`
  const { rowsAffected } = await store.db.delete(idempotencyKeys).where(some)
  return rowsAffected
}
