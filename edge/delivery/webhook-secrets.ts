// Webhook secrets are sealed in the subscription and opened to sign. For a day after a change both the new and the previous one sign.

import { DAY } from '@msgnet/shared/date-time.ts'
import { SealError, type Sealer } from '@msgnet/shared/seal.ts'
import type { Signing } from '../dialect/event-format.ts'
import type { PostDestination, WebhookRow } from '../objects/due-events.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import type { Signer } from '../runtime/runtime.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'
import { isSameOrigin, type SealedPart, type SecretChange } from '../store/secret-change.ts'

type Sealed = Uint8Array<ArrayBuffer> | null

/** The columns that are for the receiver alone. */
type ReceiverColumns = { url: string; headers?: Sealed; secret: Sealed }

/** The present webhook, if one at this URL may have what it has for its receiver: the origin is the same. */
export const selectPredecessor = <Row extends ReceiverColumns>(
  present: Row | undefined,
  url: string,
): Row | undefined => (present && isSameOrigin(present.url, url) ? present : undefined)

/** Of the response to a save. */
export interface Dropped {
  dropped?: SealedPart[]
}

/** What a save at this URL takes from the webhook, because it belongs to another origin and the caller did not send it again. */
export function findDropped(
  present: ReceiverColumns | undefined,
  url: string,
  sent: { headers?: object | undefined; secret?: string | undefined },
): Dropped {
  if (!present || isSameOrigin(present.url, url)) return {}
  const parts = ['headers', 'secret'] as const
  const dropped = parts.filter((part) => present[part] && sent[part] === undefined)
  return dropped.length === 0 ? {} : { dropped }
}

const OVERLAP_MS = DAY

/** The owner that a secret is sealed for: as `findOwner` returns it, or this word for the server. */
export const SERVER_OWNER = 'server'
const formatSealContext = (owner: string) => `webhook-secret:${owner}`

/** Returns the change that a save makes of the present secret of the same origin: no value leaves the secret, the empty string removes it, another value rotates it. */
export async function planSecretChange(
  env: Env,
  owner: string,
  current: Sealed,
  requested: string | undefined,
): Promise<SecretChange> {
  if (requested === undefined) return { kind: 'keep' }
  if (requested === '') return { kind: 'remove' }
  const sealer = await findSealer(env, 'edge/webhook-secret')
  const secret = await sealer.seal(encodeUtf8(requested), formatSealContext(owner))
  if (current && (await openSecret(sealer, current, owner)) === requested)
    return { kind: 'keep', sent: secret }
  return { kind: 'rotate', secret, bothUntil: Date.now() + OVERLAP_MS }
}

/** What the secret and the headers of an instance's own webhook are sealed for: the first webhook has a row again when it was off. */
export const findOwner = ({
  position,
  instanceId,
  id,
}: Pick<WebhookRow, 'position' | 'instanceId' | 'id'>) => (position === 0 ? instanceId : id)

export const toDestination = (webhook: WebhookRow): PostDestination => ({
  ...webhook,
  owner: webhook.mode === 'inherited' ? SERVER_OWNER : findOwner(webhook),
})

/** Returns the signers of the current and the previous secret. Throws SealError if the current one cannot be opened. */
export async function findSigners(
  env: Env,
  { owner, secret, previousSecret, previousSecretUntil }: PostDestination,
  signing: Signing,
): Promise<Signer[]> {
  if (!secret) return []
  const currentSigner = await findSigner(env, secret, owner, signing)
  if (!currentSigner) throw new SealError('the webhook secret was sealed by a key that is gone')
  const previousSigner =
    previousSecret &&
    previousSecretUntil > Date.now() &&
    (await findSigner(env, previousSecret, owner, signing))
  return previousSigner ? [currentSigner, previousSigner] : [currentSigner]
}

/** Keys that do not fit are opened again when they are needed. */
const MAX_CACHED_SIGNERS = 1000

// A cache of the isolate, by the sealed bytes: to open a secret and make its key costs more than to sign. It contains finished signers,
// from which the secret cannot be read; a promise of one request must not be awaited by another.
const signerCache = new Map<string, Signer>()

async function findSigner(
  env: Env,
  sealed: NonNullable<Sealed>,
  owner: string,
  signing: Signing,
): Promise<Signer | undefined> {
  const name = `${signing.name} ${owner} ${String.fromCharCode(...sealed)}`
  const cached = signerCache.get(name)
  if (cached) return cached
  const secret = await openSecret(await findSealer(env, 'edge/webhook-secret'), sealed, owner)
  if (secret === undefined) return undefined
  const signer = await env.runtime.cryptography.createSigner(signing.toKey(secret))
  if (signerCache.size >= MAX_CACHED_SIGNERS) signerCache.clear()
  signerCache.set(name, signer)
  return signer
}

async function openSecret(
  sealer: Sealer,
  sealed: Uint8Array<ArrayBuffer>,
  owner: string,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await sealer.open(new Uint8Array(sealed), formatSealContext(owner)))
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
