// Outcomes that came when nobody waited any more: kept a day for the key that asks again, whoever has the session by then.

import { eq, sql } from 'drizzle-orm'
import { DAY } from '../../shared/clock.ts'
import { lateOutcomes } from '../../shared/db/edge-tables.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import type { Store } from './database.ts'

const contextOf = (act: string) => `late:${act}`

/** The newest is the truth: an outcome that was reported as one thing may become known as another. */
export async function keepLateOutcome(env: Env, store: Store, act: string, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'unknown') return
  const sealer = await sealerOf(env, 'edge/late-outcome')
  const sealed = await sealer.seal(utf8(JSON.stringify(outcome)), contextOf(act))
  const late = { outcome: sealed, at: Date.now() }
  await store.write([
    store.db
      .insert(lateOutcomes)
      .values({ act, ...late })
      .onConflictDoUpdate({ target: lateOutcomes.act, set: late }),
  ])
}

export async function findLateOutcome(env: Env, store: Store, act: string): Promise<Outcome | undefined> {
  const [late] = await store.db.select().from(lateOutcomes).where(eq(lateOutcomes.act, act))
  if (!late) return undefined
  const sealer = await sealerOf(env, 'edge/late-outcome')
  return JSON.parse(new TextDecoder().decode(await sealer.open(late.outcome, contextOf(act))))
}

export async function purgeLateOutcomes(store: Store, atMost: number): Promise<number> {
  const old = sql`rowid in (select rowid from ${lateOutcomes} where ${lateOutcomes.at} <= ${Date.now() - DAY} limit ${atMost})`
  const { rowsAffected } = await store.db.delete(lateOutcomes).where(old)
  return rowsAffected
}
