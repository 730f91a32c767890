// The signature of a delivery: Standard Webhooks 1.0, over the bytes as they came.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const TOLERANCE_S = 300
const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A secret for one webhook. */
export const createSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

type Headers = Record<string, string | string[] | undefined>

/** Why a delivery is not to be trusted; undefined if it is. */
export function findWebhookFault(
  headers: Headers,
  body: Buffer,
  secret: string,
  now = Date.now(),
): string | undefined {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signature = readHeader(headers, 'webhook-signature')
  if (!id || !timestamp || !signature) return 'a header of the signature is missing'
  const age = Math.abs(now / 1000 - Number(timestamp))
  if (!(age <= TOLERANCE_S)) return 'the timestamp is more than five minutes away from now'
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const isSigned = signature.split(' ').some((one) => isSignature(one, expected))
  return isSigned ? undefined : 'the signature is wrong'
}

export const readHeader = (headers: Headers, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

function isSignature(written: string, expected: Buffer): boolean {
  const [version, text = ''] = written.split(',')
  const found = Buffer.from(text, 'base64')
  return version === 'v1' && found.length === expected.length && timingSafeEqual(found, expected)
}
