// The headers of the Standard Webhooks specification 1.0 (https://www.standardwebhooks.com).

import { concat, utf8 } from '../bytes.ts'

const PREFIX = 'whsec_'

/** The HMAC key of a secret. The secret cannot be read from it. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Headers for one attempt: the id is the event's on every attempt, the timestamp (seconds) this attempt's. */
export async function signedHeaders(
  id: string,
  atMs: number,
  body: Uint8Array<ArrayBuffer>,
  secrets: readonly (string | SigningKey)[],
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secrets.length === 0) return headers
  const signed = concat([utf8(`${id}.${timestamp}.`), body])
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${await hmac(secret, signed)}`))
  return { ...headers, 'webhook-signature': signatures.join(' ') }
}

/** A key for a secret that signs many times. */
export const hmacKey = (secret: string): Promise<SigningKey> =>
  crypto.subtle.importKey('raw', keyBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])

async function hmac(secret: string | SigningKey, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = typeof secret === 'string' ? await hmacKey(secret) : secret
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return btoa(String.fromCharCode(...mac))
}

/** `whsec_` and base64 of 24 to 64 bytes is those bytes as a key; any other secret is its own ASCII. */
export function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const decoded = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  if (decoded && decoded.length >= 24 && decoded.length <= 64) return decoded
  return utf8(secret)
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
