// Deliveries on the receiver's side: verified by their signature (Standard Webhooks 1.0) and told apart by their type.

import type { ChangeEnvelope } from '../shared/contract/change-envelopes.ts'
import type { Envelope } from '../shared/contract/envelopes.ts'
import { webCrypto } from './web-crypto.ts'

/** A delivery that must not be believed. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

type Headers = { get(name: string): string | null } | Record<string, string | string[] | undefined>

interface Terms {
  /** Seconds that the sender's clock may be away from ours; also the age up to which a delivery is taken. */
  tolerance?: number
  /** Now, in milliseconds. */
  now?: number
}

const TOLERANCE = 300

/**
 * The envelope of a delivery, if its signature fits; throws WebhookRefused else. `body` is what came, byte for byte,
 * before anything has parsed it. While a secret is being changed give both: one that fits is enough.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers,
  secret: string | readonly string[],
  { tolerance = TOLERANCE, now = Date.now() }: Terms = {},
): Promise<Envelope | ChangeEnvelope> {
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature').split(' ')
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookRefused('The timestamp is too far from now.')

  const bytes = typeof body === 'string' ? utf8(body) : body
  const signed = new Uint8Array([...utf8(`${id}.${timestamp}.`), ...bytes])
  const given = signatures.flatMap((signature) => {
    const decoded = signature.startsWith('v1,') ? base64(signature.slice(3)) : undefined
    return decoded ? [decoded] : []
  })
  const secrets = typeof secret === 'string' ? [secret] : secret
  const fits = await Promise.all(
    secrets.flatMap((each) => given.map((mac) => verifies(keyBytes(each), mac, signed))),
  )
  if (!fits.includes(true)) throw new WebhookRefused('No signature fits.')
  return JSON.parse(new TextDecoder().decode(bytes)) as Envelope | ChangeEnvelope
}

/** The runtime's own check, which takes the same time wherever the difference is. */
async function verifies(secret: Bytes, mac: Bytes, signed: Bytes): Promise<boolean> {
  const { subtle } = await webCrypto()
  const key = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return subtle.verify('HMAC', key, mac, signed)
}

type Bytes = Uint8Array<ArrayBuffer>

const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes

function header(headers: Headers, name: string): string {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, string>)[name]
  if (typeof value === 'string' && value) return value
  throw new WebhookRefused(`The delivery has no ${name}.`)
}

/** `whsec_` and base64 of 24 to 64 bytes stands for those bytes; any other secret for its own ASCII. */
function keyBytes(secret: string): Bytes {
  const decoded = secret.startsWith('whsec_') ? base64(secret.slice(6)) : undefined
  return decoded && decoded.length >= 24 && decoded.length <= 64 ? decoded : utf8(secret)
}

function base64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
