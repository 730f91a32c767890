// Verifies what an authenticator signed, by the steps of WebAuthn (https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion).
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import * as z from 'zod'
import { sha256 } from '../crypto/ciphers.ts'
import type { Credential } from '../store/passkey-table.ts'

const Bytes = z
  .string()
  .regex(/^[\w-]+$/)
  .transform((text) => Buffer.from(text, 'base64url'))

/** The form that clients send: what `PublicKeyCredential.toJSON` makes of it. */
export const Assertion = z.object({
  id: z.string(),
  rawId: Bytes,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: Bytes.nullish(),
  }),
})
export type Assertion = z.infer<typeof Assertion>

const ClientData = z.object({ type: z.string(), challenge: z.string(), origin: z.string() })

const RP_ID_HASH = 32
const FLAGS = { userPresent: 0x01, userVerified: 0x04 }

export type Expected = { challenge: Buffer; rpId: string; credential: Credential }

/** The authenticator's new count, or in words why the assertion is not accepted. */
export function verifyAssertion(
  { rawId, response }: Assertion,
  { challenge, rpId, credential }: Expected,
): { counter: number } | { refused: string } {
  const { clientDataJSON, authenticatorData, signature } = response
  if (!rawId.equals(credential.id)) return { refused: 'another credential' }
  const client = readClientData(clientDataJSON)
  if (client?.type !== 'webauthn.get') return { refused: 'no assertion' }
  if (!Buffer.from(client.challenge, 'base64url').equals(challenge)) return { refused: 'another challenge' }
  if (!isSiteOrigin(rpId, client.origin)) return { refused: `made on ${client.origin}` }
  if (authenticatorData.length < RP_ID_HASH + 5) return { refused: 'too short' }
  if (!authenticatorData.subarray(0, RP_ID_HASH).equals(sha256(Buffer.from(rpId))))
    return { refused: 'made for another site' }
  const flags = authenticatorData.readUInt8(RP_ID_HASH)
  if (!(flags & FLAGS.userPresent) || !(flags & FLAGS.userVerified))
    return { refused: 'the user was not verified' }
  const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
  if (!isSignedBy(parsePublicKey(credential.publicKey), signed, signature))
    return { refused: 'the signature' }
  const counter = authenticatorData.readUInt32BE(RP_ID_HASH + 1)
  const counts = counter !== 0 || credential.counter !== 0
  // A count that does not grow means that the authenticator was cloned.
  if (counts && counter <= credential.counter) return { refused: 'the counter' }
  return { counter }
}

/** Throws if the bytes are no public key. */
export function parsePublicKey(der: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
}

export function readClientData(json: Buffer): z.infer<typeof ClientData> | undefined {
  try {
    return ClientData.safeParse(JSON.parse(json.toString('utf8'))).data
  } catch {
    return undefined
  }
}

/** An origin of this site or of one below it; without TLS only on this machine. */
export function isSiteOrigin(rpId: string, origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  const secure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')
  return secure && (hostname === rpId || hostname.endsWith(`.${rpId}`))
}

function isSignedBy(key: KeyObject, message: Buffer, signature: Buffer): boolean {
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', message, key, signature)
}
