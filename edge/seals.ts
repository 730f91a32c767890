// The sealer for this deployment's SEAL_KEYS, made once an isolate.

import { makeSealer, SealError, type Sealer } from '../shared/seal.ts'
import type { Env } from './env.ts'

// Finished sealers only: a promise that one request waits for must not be waited for by another.
const made = new Map<string, Sealer>()

export async function sealerOf(env: Pick<Env, 'SEAL_KEYS'>): Promise<Sealer> {
  if (!env.SEAL_KEYS) throw new SealError('SEAL_KEYS is not set')
  const known = made.get(env.SEAL_KEYS)
  if (known) return known
  const sealer = await makeSealer(env.SEAL_KEYS)
  made.set(env.SEAL_KEYS, sealer)
  return sealer
}
