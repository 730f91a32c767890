// The sealers for this deployment's SEAL_KEYS, one for each purpose, made once an isolate.

import { makeSealer, type Purpose, SealError, type Sealer } from '../shared/seal.ts'
import type { Env } from './env.ts'

type EdgePurpose = Extract<Purpose, `edge/${string}`>

/** A link that was made without a purpose could be anybody's who held SEAL_KEYS, as hosts did: it lives for a day only. */
const neverWithout: readonly EdgePurpose[] = ['edge/media-link']

// Finished sealers only: a promise that one request waits for must not be waited for by another.
const made = new Map<string, Sealer>()

export async function sealerOf(env: Pick<Env, 'SEAL_KEYS'>, purpose: EdgePurpose): Promise<Sealer> {
  if (!env.SEAL_KEYS) throw new SealError('SEAL_KEYS is not set')
  const name = `${purpose} ${env.SEAL_KEYS}`
  const known = made.get(name)
  if (known) return known
  const formerly = neverWithout.includes(purpose) ? '' : env.SEAL_KEYS
  const sealer = await makeSealer(env.SEAL_KEYS, purpose, { formerly })
  made.set(name, sealer)
  return sealer
}
