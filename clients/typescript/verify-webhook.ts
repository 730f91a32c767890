// Verifies deliveries on the receiver's side by their signature (Standard Webhooks 1.0), and types them by their event.

import type { Envelope } from './api-types.ts'
import { loadWebCrypto } from './web-crypto.ts'

export type RefusalReason =
  | 'header_missing'
  | 'timestamp_unreadable'
  | 'too_old'
  | 'too_new'
  | 'no_signature_fits'

/** A delivery that must not be trusted. A wrong call throws a TypeError instead. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string) {
    super(message)
    this.reason = reason
  }
}

type HeaderRecord = Record<string, string | string[] | undefined>
type DeliveryHeaders = { get(name: string): string | null } | HeaderRecord

interface VerifyOptions {
  /** Seconds by which the sender's clock may differ from ours; also the maximum age of a delivery. */
  tolerance?: number
  /** The present time in milliseconds. */
  now?: number
}

const TOLERANCE = 300

/**
 * Returns the envelope of a delivery if its signature is valid, or else throws WebhookRefused. `body` is the unchanged body,
 * before anything has parsed it. While a secret is being changed pass both: one that matches is enough.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { tolerance = TOLERANCE, now = Date.now() }: VerifyOptions = {},
): Promise<Envelope> {
  const bytes = toBytes(body)
  const secrets = validateSecrets(secret)
  const id = requireHeader(headers, 'webhook-id')
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  const signatures = requireHeader(headers, 'webhook-signature').split(' ')
  checkAge(timestamp, now, tolerance)

  const signed = new Uint8Array([...encodeUtf8(`${id}.${timestamp}.`), ...bytes])
  const signatureMacs = signatures.flatMap((signature) => {
    const decoded = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined
    return decoded ? [decoded] : []
  })
  const matches = await Promise.all(
    secrets.flatMap((each) => signatureMacs.map((mac) => verifySignature(toKeyBytes(each), mac, signed))),
  )
  if (!matches.includes(true))
    throw new WebhookRefused('no_signature_fits', explainMismatch(signatureMacs.length, secrets))
  return JSON.parse(new TextDecoder().decode(bytes)) as Envelope
}

function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return encodeUtf8(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  const what = body === null || typeof body !== 'object' ? typeof body : 'a parsed body'
  throw new TypeError(
    `verifyWebhook was given ${what}: it needs the raw text or bytes that came, because written anew they are not what was signed.`,
  )
}

function validateSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError(
      'verifyWebhook needs the secret that the webhook was saved with, as text, or a list of such.',
    )
  for (const each of secrets) {
    if (typeof each !== 'string') throw new TypeError('A secret of verifyWebhook is not a text.')
    if (each === '') throw new TypeError('A secret of verifyWebhook is empty: is the variable set?')
    if (!/^[\x21-\x7e]+$/.test(each))
      throw new TypeError(
        'A secret of verifyWebhook has a space, a line break or no ASCII in it: no webhook has such.',
      )
  }
  return secrets
}

function checkAge(timestamp: string, now: number, tolerance: number): void {
  if (!/^\d+$/.test(timestamp))
    throw new WebhookRefused('timestamp_unreadable', 'The webhook-timestamp is no number of seconds.')
  const age = Math.round(now / 1000 - Number(timestamp))
  if (age > tolerance)
    throw new WebhookRefused(
      'too_old',
      `The timestamp is ${age} s old, more than ${tolerance} s: a replay, or this clock is fast.`,
    )
  if (-age > tolerance)
    throw new WebhookRefused(
      'too_new',
      `The timestamp is ${-age} s ahead, more than ${tolerance} s: this clock is slow.`,
    )
}

function explainMismatch(macCount: number, secrets: readonly string[]): string {
  if (macCount === 0) return 'No signature fits: none of them is of version v1.'
  const plain = secrets.some((secret) => secret.startsWith('whsec_') && !decodeSecret(secret))
  return plain
    ? 'No signature fits. The secret begins with whsec_ and is no base64 of 24 to 64 bytes, so it was taken as plain text: is it whole?'
    : 'No signature fits: another secret, or the body is not what came byte for byte.'
}

/** The runtime's own check, in constant time. */
async function verifySignature(secret: Bytes, mac: Bytes, signed: Bytes): Promise<boolean> {
  const { subtle } = await loadWebCrypto()
  const key = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return subtle.verify('HMAC', key, mac, signed)
}

type Bytes = Uint8Array<ArrayBuffer>

const encodeUtf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes

function requireHeader(headers: DeliveryHeaders, name: string): string {
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError('verifyWebhook needs the headers of the delivery as its second argument.')
  const value =
    typeof headers.get === 'function' ? headers.get(name) : findHeader(headers as HeaderRecord, name)
  if (typeof value === 'string' && value) return value
  const why = name === 'webhook-signature' ? ': was the webhook saved with a secret?' : '.'
  throw new WebhookRefused('header_missing', `The delivery has no ${name}${why}`)
}

/** Some frameworks keep the case of a header's name. */
const findHeader = (headers: HeaderRecord, name: string) =>
  headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]

/** `whsec_` and base64 of 24 to 64 bytes is those bytes as a key; any other secret is its own ASCII. */
const toKeyBytes = (secret: string): Bytes => decodeSecret(secret) ?? encodeUtf8(secret)

function decodeSecret(secret: string): Bytes | undefined {
  const decoded = secret.startsWith('whsec_') ? decodeBase64(secret.slice(6)) : undefined
  return decoded && decoded.length >= 24 && decoded.length <= 64 ? decoded : undefined
}

function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
