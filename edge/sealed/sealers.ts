// The sealers for this deployment's SEAL_KEYS, one for each purpose, made once an isolate.

import { createSealer, type Purpose, SealError, type Sealer } from '@msgnet/shared/seal.ts'
import type { Env } from '../settings/env.ts'

type EdgePurpose = Extract<Purpose, `edge/${string}`>

// Finished sealers only: a promise of one request must not be awaited by another.
const sealers = new Map<string, Sealer>()

export async function findSealer(
  env: Pick<Env, 'SEAL_KEYS' | 'runtime'>,
  purpose: EdgePurpose,
): Promise<Sealer> {
  if (!env.SEAL_KEYS) throw new SealError('SEAL_KEYS is not set')
  const name = `${purpose} ${env.SEAL_KEYS}`
  const existing = sealers.get(name)
  if (existing) return existing
  const sealer = await createSealer(env.SEAL_KEYS, purpose, env.runtime.cryptography.createGcm)
  sealers.set(name, sealer)
  return sealer
}
