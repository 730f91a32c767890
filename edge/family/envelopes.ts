// Makes the body and the address of deliveries and streams, in the words of the contract or of the API family.

import { utf8 } from '../bytes.ts'
import { type EnvelopeSource, envelope } from '../delivery/envelope.ts'
import { type Env, publicOrigin, speaksFamily } from '../env.ts'
import type { Store } from '../store/database/database.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { spelled } from './spelling.ts'
import { tokenOf } from './tokens.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes for a receiver or a stream, in the words of the contract, or of the family if the operator has chosen it. */
export async function envelopeToSend(
  env: Env,
  store: Store,
  event: EnvelopeSource,
  instanceName: string,
): Promise<Bytes> {
  const ours = envelope(event, instanceName)
  if (!speaksFamily(env)) return ours
  const token = await tokenOf(env, store, event.instanceId)
  const theirs = spelled(JSON.parse(new TextDecoder().decode(ours))) as object
  return utf8(JSON.stringify({ BaseUrl: baseUrl(env), ...theirs, token }))
}

export const baseUrl = (env: Env): string => publicOrigin(env) ?? env.LISTENS_AT ?? ''

/** The URL with the event's name and the message's type (`text`, `media`, …) added to its path, if the subscription asks for them. */
export function addressFor(
  env: Env,
  { url, addUrlEvents, addUrlTypes }: Pick<SubscriptionRow, 'url' | 'addUrlEvents' | 'addUrlTypes'>,
  { type, payload }: Pick<EnvelopeSource, 'type' | 'payload'>,
): string {
  const behind = [addUrlEvents ? type : '', addUrlTypes ? typeIn(payload) : ''].filter(Boolean)
  if (!speaksFamily(env) || behind.length === 0) return url
  const address = new URL(url)
  address.pathname = [address.pathname.replace(/\/$/, ''), ...behind.map(encodeURIComponent)].join('/')
  return address.href
}

/** The type of the message in an event; empty if there is none. */
export function typeIn({ message }: Record<string, unknown>): string {
  const { type } = (message ?? {}) as { type?: unknown }
  return typeof type === 'string' ? type : ''
}
