// One signed POST to the receiver of a subscription.

import { SealError } from '../../shared/seal.ts'
import type { Env } from '../env.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { type Attempt, attempt, failed } from './attempt.ts'
import { signingSecrets } from './secrets.ts'
import { signedHeaders } from './signature.ts'

export async function post(
  env: Env,
  subscription: SubscriptionRow,
  id: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Attempt> {
  try {
    const secrets = await signingSecrets(env, subscription)
    return await attempt(env, subscription.url, await signedHeaders(id, Date.now(), body, secrets), body)
  } catch (error) {
    // Unsigned it would be refused, or worse, believed: it waits until the key is back or the secret is saved again.
    if (error instanceof SealError) return failed('secret_not_readable')
    throw error
  }
}
