// Answers kept for their Idempotency-Key: claimed before the work begins, marked when a host gets it, kept when it is answered.

import { and, eq, sql } from 'drizzle-orm'
import { replays } from '../../shared/db/edge-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './database.ts'

export type ReplayRow = typeof replays.$inferSelect

/** Who owns a claim: the key in its scope, and the act id that only this request knows. */
export interface Claim {
  scope: string
  key: string
  actId: string
}

/** Past this a claim whose request handed nothing over is taken as abandoned. Longer than any judgement takes. */
const ABANDONED_AFTER_MS = 30_000

/** Answers the row under the key: ours when its `actId` is the claim's. */
export async function claim(
  store: Store,
  claim: Claim,
  fingerprint: string,
  keepForMs: number,
): Promise<ReplayRow> {
  const now = Date.now()
  const here = and(eq(replays.scope, claim.scope), eq(replays.key, claim.key))
  const over = sql`(${replays.expiresAt} <= ${now} or
    (${replays.state} = 'claimed' and ${replays.createdAt} <= ${now - ABANDONED_AFTER_MS}))`
  const times = { createdAt: now, expiresAt: now + keepForMs }
  const row = {
    ...claim,
    fingerprint,
    state: 'claimed',
    ...times,
    messageid: '',
    status: 0,
    response: null,
  } as const
  const [, inserted] = await store.write([
    store.db.delete(replays).where(and(here, over)),
    store.db.insert(replays).values(row).onConflictDoNothing(),
  ])
  if (inserted?.rowsAffected === 1) return row
  const [found] = await store.db.select().from(replays).where(here)
  // Freed between the two calls: whoever held it has just been refused, and so are we.
  return found ?? { ...row, actId: '' }
}

const mine = ({ scope, key, actId }: Claim) =>
  and(eq(replays.scope, scope), eq(replays.key, key), eq(replays.actId, actId))

/** From here on the act may take effect. Answers false when the claim was taken as abandoned. */
export async function markHanded(store: Store, claim: Claim, messageid: string): Promise<boolean> {
  const stillClaimed = and(mine(claim), eq(replays.state, 'claimed'))
  const handed = { state: 'handed', messageid } as const
  const { rowsAffected } = await store.db.update(replays).set(handed).where(stillClaimed)
  return rowsAffected > 0
}

export async function free(store: Store, claim: Claim): Promise<void> {
  await store.db.delete(replays).where(mine(claim))
}

/** A statement, so that an effect in the database and its answer can be one write. */
export const keepAnswer = (
  store: Store,
  claim: Claim,
  status: number,
  response: Uint8Array<ArrayBuffer>,
): Statement => store.db.update(replays).set({ state: 'answered', status, response }).where(mine(claim))

export async function purgeReplays(store: Store, atMost: number): Promise<number> {
  const some = sql`rowid in (select rowid from ${replays} where ${replays.expiresAt} <= ${Date.now()} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(replays).where(some)
  return rowsAffected
}
