// Webhook secrets: sealed in the subscription, opened to sign, two at once for a day after a change.

import { DAY } from '../../shared/clock.ts'
import { SealError, type Sealer } from '../../shared/seal.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import type { SecretChange } from '../store/secret-change.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'

const BOTH_SIGN_FOR = DAY

type Sealed = Uint8Array<ArrayBuffer> | null

/** What a secret belongs to, and is sealed for: an instance's id, or the server. */
export const SERVER = 'server'
const contextOf = (owner: string) => `webhook-secret:${owner}`

/** What a save means: nothing given keeps what there is, the empty string removes it, another one rotates. */
export async function secretChange(
  env: Env,
  owner: string,
  current: Sealed,
  given: string | undefined,
): Promise<SecretChange> {
  if (given === undefined) return { kind: 'keep' }
  if (given === '') return { kind: 'remove' }
  const sealer = await sealerOf(env, 'edge/webhook-secret')
  if (current && (await open(sealer, current, owner)) === given) return { kind: 'keep' }
  const secret = await sealer.seal(utf8(given), contextOf(owner))
  return { kind: 'rotate', secret, bothUntil: Date.now() + BOTH_SIGN_FOR }
}

/** The secrets that sign now, the present one first. Throws SealError when the present one cannot be opened. */
export async function signingSecrets(
  env: Env,
  { instanceId, mode, secret, previousSecret, previousSecretUntil }: SubscriptionRow,
): Promise<string[]> {
  if (!secret) return []
  const owner = mode === 'inherited' ? SERVER : instanceId
  const sealer = await sealerOf(env, 'edge/webhook-secret')
  const present = await open(sealer, secret, owner)
  if (present === undefined) throw new SealError('the webhook secret was sealed by a key that is gone')
  const previous =
    previousSecret && previousSecretUntil > Date.now() && (await open(sealer, previousSecret, owner))
  return previous ? [present, previous] : [present]
}

async function open(
  sealer: Sealer,
  sealed: Uint8Array<ArrayBuffer>,
  owner: string,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await sealer.open(new Uint8Array(sealed), contextOf(owner)))
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
