// The signature of a delivery, as a gateway makes it and a receiver verifies it.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { Webhook } from 'standardwebhooks'

const WHSEC = 'whsec_'

export function signDelivery(secret: string, id: string, at: Date, body: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / SECOND)),
    'webhook-signature': openSecret(secret).sign(id, at, body),
  }
}

/** `whsec_` and the base64 of 24 to 64 bytes, or any other text. */
export function openSecret(secret: string): Webhook {
  const bytes = secret.startsWith(WHSEC) ? Buffer.from(secret.slice(WHSEC.length), 'base64').length : 0
  return bytes >= 24 && bytes <= 64 ? new Webhook(secret) : new Webhook(secret, { format: 'raw' })
}
