// Outcomes that came when nobody waited any more: kept a day in the link's own storage, for the key that asks again.

import { DAY } from '../../shared/clock.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'

const PREFIX = 'late:'
const PURGED_AT_ONCE = 100

interface Late {
  /** The outcome as JSON, sealed for the context `late:<act id>`: a sent message's text is in it. */
  sealed: Uint8Array<ArrayBuffer>
  at: number
}

export async function keepLate(
  env: Env,
  storage: DurableObjectStorage,
  id: string,
  outcome: Outcome,
): Promise<void> {
  if (outcome.kind === 'unknown') return
  const sealer = await sealerOf(env)
  const sealed = await sealer.seal(utf8(JSON.stringify(outcome)), PREFIX + id)
  await storage.put<Late>(PREFIX + id, { sealed, at: Date.now() })
}

export async function findLate(
  env: Env,
  storage: DurableObjectStorage,
  id: string,
): Promise<Outcome | undefined> {
  const late = await storage.get<Late>(PREFIX + id)
  if (!late) return undefined
  const sealer = await sealerOf(env)
  return JSON.parse(new TextDecoder().decode(await sealer.open(late.sealed, PREFIX + id)))
}

export async function purgeLate(storage: DurableObjectStorage): Promise<void> {
  const some = await storage.list<Late>({ prefix: PREFIX, limit: PURGED_AT_ONCE })
  const old = [...some].filter(([, { at }]) => at < Date.now() - DAY).map(([key]) => key)
  if (old.length > 0) await storage.delete(old)
}
