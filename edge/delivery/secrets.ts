// Webhook secrets: sealed in the subscription, opened to sign, two at once for a day after a change.

import { DAY } from '../../shared/clock.ts'
import { SealError, type Sealer } from '../../shared/seal.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'

const BOTH_SIGN_FOR = DAY

type Secrets = Pick<SubscriptionRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>

const none: Secrets = { secret: null, previousSecret: null, previousSecretUntil: 0 }
const contextOf = (instanceId: string) => `webhook-secret:${instanceId}`

/** What a save leaves: nothing given keeps what there is, the empty string removes it, another one rotates. */
export async function nextSecrets(
  env: Env,
  instanceId: string,
  current: Secrets = none,
  given: string | undefined,
): Promise<Secrets> {
  const { secret, previousSecret, previousSecretUntil } = current
  if (given === undefined) return { secret, previousSecret, previousSecretUntil }
  if (given === '') return none
  const sealer = await sealerOf(env)
  if (secret && (await open(sealer, secret, instanceId)) === given) {
    return { secret, previousSecret, previousSecretUntil }
  }
  const sealed = await sealer.seal(utf8(given), contextOf(instanceId))
  return {
    secret: sealed,
    previousSecret: secret,
    previousSecretUntil: secret ? Date.now() + BOTH_SIGN_FOR : 0,
  }
}

/** The secrets that sign now, the present one first. Throws SealError when the present one cannot be opened. */
export async function signingSecrets(
  env: Env,
  { instanceId, secret, previousSecret, previousSecretUntil }: SubscriptionRow,
): Promise<string[]> {
  if (!secret) return []
  const sealer = await sealerOf(env)
  const present = await open(sealer, secret, instanceId)
  if (present === undefined) throw new SealError('the webhook secret was sealed by a key that is gone')
  const previous =
    previousSecret && previousSecretUntil > Date.now() && (await open(sealer, previousSecret, instanceId))
  return previous ? [present, previous] : [present]
}

async function open(
  sealer: Sealer,
  sealed: Uint8Array<ArrayBuffer>,
  instanceId: string,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await sealer.open(new Uint8Array(sealed), contextOf(instanceId)))
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
