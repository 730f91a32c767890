// Late outcomes: those that arrived when no request waited any more, or whose request has not stored its response yet. They are stored for a
// day, for a request that recalls the act.

import { DAY } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { lateOutcomes } from '@msgnet/shared/db/sealed-tables.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import { eq, sql } from 'drizzle-orm'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'
import { writeInBatches } from '../store/database/batches.ts'
import type { Store } from '../store/database/open-store.ts'
import { awaitsOutcome } from './key-store.ts'

const formatSealContext = (act: string) => `late:${act}`

// Writes nothing for an instance that was deleted meanwhile.
const STORE = `insert into late_outcomes (act, outcome, instance_id, at) select ?1, ?2, ?3, ?4
where exists (select 1 from instances where id = ?3)
on conflict (act) do update set outcome = excluded.outcome, instance_id = excluded.instance_id, at = excluded.at`

// Nor once the key of the act has its response: that deletes what was stored until then.
const STORE_UNTIL_ANSWERED = STORE.replace(
  'on conflict',
  `and ${awaitsOutcome({ scope: '?5', key: '?6', act: '?1' })}\non conflict`,
)

/** `instance` is that of the act. */
interface LateOutcome {
  act: string
  instance: string
  outcome: Outcome
}

/** The newest outcome wins: an unknown one may be resolved later. */
export async function storeLateOutcome(env: Env, store: Store, late: LateOutcome): Promise<void> {
  if (late.outcome.kind === 'unknown') return
  await store.write([{ sql: STORE, args: await sealOutcome(env, late) }])
}

/** For a request that has the outcome and stores its response: if it ends before that, the next one finds it here. */
export async function storeUntilAnswered(
  env: Env,
  store: Store,
  late: LateOutcome,
  { scope, key }: { scope: string; key: string },
): Promise<void> {
  const args = [...(await sealOutcome(env, late)), scope, key]
  await store.write([{ sql: STORE_UNTIL_ANSWERED, args }])
}

/** The statement for the write that stores the response. */
export const dropLateOutcome = (act: string): Statement => ({
  sql: 'delete from late_outcomes where act = ?',
  args: [act],
})

async function sealOutcome(env: Env, { act, instance, outcome }: LateOutcome) {
  const sealer = await findSealer(env, 'edge/late-outcome')
  const sealed = await sealer.seal(encodeUtf8(JSON.stringify(outcome)), formatSealContext(act))
  return [act, sealed, instance, Date.now()]
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
