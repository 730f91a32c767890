// Webhook secrets are sealed in the subscription and opened to sign. For a day after a change both the new and the former one sign.

import { DAY } from '../../shared/clock.ts'
import { SealError, type Sealer } from '../../shared/seal.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import type { Signer } from '../runtime.ts'
import { sealerOf } from '../seals.ts'
import type { SecretChange } from '../store/secret-change.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { keyBytes } from './signature.ts'

const BOTH_SIGN_FOR = DAY

type Sealed = Uint8Array<ArrayBuffer> | null

/** The owner that a secret is sealed for: an instance's id, or this word for the server. */
export const SERVER = 'server'
const contextOf = (owner: string) => `webhook-secret:${owner}`

/** The change that a save makes: no value keeps the secret, the empty string removes it, another value rotates it. */
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

/** What signs now, the present secret first. Throws SealError if the present one cannot be opened. */
export async function findSigners(
  env: Env,
  { instanceId, mode, secret, previousSecret, previousSecretUntil }: SubscriptionRow,
): Promise<Signer[]> {
  if (!secret) return []
  const owner = mode === 'inherited' ? SERVER : instanceId
  const present = await findSigner(env, secret, owner)
  if (!present) throw new SealError('the webhook secret was sealed by a key that is gone')
  const previous =
    previousSecret && previousSecretUntil > Date.now() && (await findSigner(env, previousSecret, owner))
  return previous ? [present, previous] : [present]
}

/** Keys that do not fit are opened again when they are needed. */
const KEYS_AT_MOST = 1000

// A cache of the isolate, by the sealed bytes: to open a secret and make its key costs more than to sign. It holds finished signers,
// from which the secret cannot be read; a promise of one request must not be awaited by another.
const opened = new Map<string, Signer>()

async function findSigner(env: Env, sealed: NonNullable<Sealed>, owner: string): Promise<Signer | undefined> {
  const name = `${owner} ${String.fromCharCode(...sealed)}`
  const known = opened.get(name)
  if (known) return known
  const secret = await open(await sealerOf(env, 'edge/webhook-secret'), sealed, owner)
  if (secret === undefined) return undefined
  const signer = await env.runtime.cryptography.makeSigner(keyBytes(secret))
  if (opened.size >= KEYS_AT_MOST) opened.clear()
  opened.set(name, signer)
  return signer
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
