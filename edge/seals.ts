// The sealers for this deployment's SEAL_KEYS, one for each purpose, made once an isolate.

import { makeSealer, type Purpose, SealError, type Sealer } from '../shared/seal.ts'
import type { Env } from './env.ts'

type EdgePurpose = Extract<Purpose, `edge/${string}`>

/** Without a purpose, a link could be made by any holder of SEAL_KEYS, hosts of earlier versions too. Such links lasted a day only. */
const neverWithout: readonly EdgePurpose[] = ['edge/media-link']

// Finished sealers only: a promise of one request must not be awaited by another.
const made = new Map<string, Sealer>()

export async function sealerOf(
  env: Pick<Env, 'SEAL_KEYS' | 'runtime'>,
  purpose: EdgePurpose,
): Promise<Sealer> {
  if (!env.SEAL_KEYS) throw new SealError('SEAL_KEYS is not set')
  const name = `${purpose} ${env.SEAL_KEYS}`
  const known = made.get(name)
  if (known) return known
  const formerly = neverWithout.includes(purpose) ? '' : env.SEAL_KEYS
  const sealer = await makeSealer(env.SEAL_KEYS, purpose, {
    formerly,
    makeGcm: env.runtime.cryptography.makeGcm,
  })
  made.set(name, sealer)
  return sealer
}
