// Late outcomes: those that arrived when no request waited any more. They are stored for a day, for a request that recalls the act.

import { DAY } from '@msgnet/shared/date-time.ts'
import { lateOutcomes } from '@msgnet/shared/db/sealed-tables.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import { eq, sql } from 'drizzle-orm'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'
import { writeInBatches } from '../store/database/batches.ts'
import type { Store } from '../store/database/open-store.ts'

const formatSealContext = (act: string) => `late:${act}`

// Writes nothing for an instance that was deleted meanwhile.
const STORE = `insert into late_outcomes (act, outcome, instance_id, at) select ?1, ?2, ?3, ?4
where exists (select 1 from instances where id = ?3)
on conflict (act) do update set outcome = excluded.outcome, instance_id = excluded.instance_id, at = excluded.at`

/**
 * The newest outcome wins: an unknown one may be resolved later. `instance` is that of the act.
 */
export async function storeLateOutcome(
  env: Env,
  store: Store,
  { act, instance, outcome }: { act: string; instance: string; outcome: Outcome },
): Promise<void> {
  if (outcome.kind === 'unknown') return
  const sealer = await findSealer(env, 'edge/late-outcome')
  const sealed = await sealer.seal(encodeUtf8(JSON.stringify(outcome)), formatSealContext(act))
  await store.write([{ sql: STORE, args: [act, sealed, instance, Date.now()] }])
}

export async function findLateOutcome(env: Env, store: Store, act: string): Promise<Outcome | undefined> {
  const [late] = await store.db.select().from(lateOutcomes).where(eq(lateOutcomes.act, act))
  if (!late) return undefined
  const sealer = await findSealer(env, 'edge/late-outcome')
  return JSON.parse(new TextDecoder().decode(await sealer.open(late.outcome, formatSealContext(act))))
}

/** Deletes those of an instance that was deleted. */
export async function deleteLateOutcomes(store: Store, instanceId: string): Promise<void> {
  await writeInBatches(store, async (atMost) => {
    const some = sql`rowid in (select rowid from ${lateOutcomes} where instance_id = ${instanceId} limit ${atMost})`
    return (await store.db.delete(lateOutcomes).where(some)).rowsAffected
  })
}

export async function purgeLateOutcomes(store: Store, max: number): Promise<number> {
  const old = sql`rowid in (select rowid from ${lateOutcomes} where ${lateOutcomes.at} <= ${Date.now() - DAY} limit ${max})`
  const { rowsAffected } = await store.db.delete(lateOutcomes).where(old)
  return rowsAffected
}
