// The headers of the Standard Webhooks specification 1.0 (https://www.standardwebhooks.com).

import type { Signing } from '../dialect/event-format.ts'
import { concatBytes, encodeUtf8 } from '../runtime/bytes.ts'
import type { Signer } from '../runtime/runtime.ts'
import { webCryptography } from '../runtime/web-cryptography.ts'

const PREFIX = 'whsec_'

/** Headers for one attempt: the id is the event's on every attempt, the timestamp (seconds) this attempt's. */
export async function createSignatureHeaders(
  id: string,
  atMs: number,
  body: Uint8Array<ArrayBuffer>,
  signers: readonly (string | Signer)[],
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1000))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (signers.length === 0) return headers
  const signed = concatBytes([encodeUtf8(`${id}.${timestamp}.`), body])
  const signatures = await Promise.all(
    signers.map(async (signer) => `v1,${await signContent(signer, signed)}`),
  )
  return { ...headers, 'webhook-signature': signatures.join(' ') }
}

/** A secret signs by WebCrypto. One that signs many times has a signer of the runtime. */
async function signContent(signer: string | Signer, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const ready = typeof signer === 'string' ? await webCryptography.createSigner(toKeyBytes(signer)) : signer
  return ready(signed)
}

/** As the contract says. */
export const standardSigning: Signing = {
  name: 'standard',
  toKey: toKeyBytes,
  createHeaders: createSignatureHeaders,
}

/** `whsec_` and base64 of 24 to 64 bytes is those bytes as a key; any other secret is its own ASCII. */
export function toKeyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const decoded = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  if (decoded && decoded.length >= 24 && decoded.length <= 64) return decoded
  return encodeUtf8(secret)
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
