// Makes the body and the address of deliveries and streams, in the words of the contract or of the API family.

import { encodeUtf8 } from '../bytes.ts'
import { type EnvelopeSource, formatEnvelope } from '../delivery/envelope.ts'
import { type Env, readPublicOrigin, speaksFamily } from '../env.ts'
import type { Store } from '../store/database/open-store.ts'
import type { SubscriptionRow } from '../store/subscription-queries.ts'
import { toFamilySpelling } from './family-spelling.ts'
import { readToken } from './sealed-tokens.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes for a receiver or a stream, in the words of the contract, or of the family if the operator has chosen it. */
export async function formatSentEnvelope(
  env: Env,
  store: Store,
  event: EnvelopeSource,
  instanceName: string,
): Promise<Bytes> {
  const contractEnvelope = formatEnvelope(event, instanceName)
  if (!speaksFamily(env)) return contractEnvelope
  const token = await readToken(env, store, event.instanceId)
  const familyEnvelope = toFamilySpelling(JSON.parse(new TextDecoder().decode(contractEnvelope))) as object
  return encodeUtf8(JSON.stringify({ BaseUrl: readBaseUrl(env), ...familyEnvelope, token }))
}

export const readBaseUrl = (env: Env): string => readPublicOrigin(env) ?? env.LISTENS_AT ?? ''

/** The URL with the event's name and the message's type (`text`, `media`, …) added to its path, if the subscription asks for them. */
export function formatAddress(
  env: Env,
  { url, addUrlEvents, addUrlTypes }: Pick<SubscriptionRow, 'url' | 'addUrlEvents' | 'addUrlTypes'>,
  { type, payload }: Pick<EnvelopeSource, 'type' | 'payload'>,
): string {
  const segments = [addUrlEvents ? type : '', addUrlTypes ? findMessageType(payload) : ''].filter(Boolean)
  if (!speaksFamily(env) || segments.length === 0) return url
  const address = new URL(url)
  address.pathname = [address.pathname.replace(/\/$/, ''), ...segments.map(encodeURIComponent)].join('/')
  return address.href
}

/** The type of the message in an event; empty if there is none. */
export function findMessageType({ message }: Record<string, unknown>): string {
  const { type } = (message ?? {}) as { type?: unknown }
  return typeof type === 'string' ? type : ''
}
