// An authenticator in software: it creates a credential, and signs assertions in the form of a browser.

import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'

/** What may be wrong with an assertion. */
export interface Flaw {
  challenge?: string
  origin?: string
  rpId?: string
  type?: string
  /** Without the user's finger or PIN. */
  unverified?: boolean
  signature?: Buffer
  counter?: number
}

const hashSha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const encodeJson = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function createAuthenticator(origin = 'http://localhost:8787') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rawId = randomBytes(16).toString('base64url')
  let signed = 0

  return {
    /** What `navigator.credentials.create` answers, as far as a server needs it. */
    created: {
      id: rawId,
      rawId,
      type: 'public-key',
      response: {
        clientDataJSON: encodeJson({ type: 'webauthn.create', challenge: 'AAAA', origin }),
        publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
      },
    },
    signChallenge(options: Pick<PasskeyOptions, 'challenge' | 'rpId'>, flaw: Flaw = {}): PasskeyAssertion {
      signed += 1
      const challenge = flaw.challenge ?? options.challenge
      const client = { type: flaw.type ?? 'webauthn.get', challenge, origin: flaw.origin ?? origin }
      const clientDataJSON = Buffer.from(JSON.stringify({ ...client, crossOrigin: false }))
      const count = Buffer.alloc(4)
      count.writeUInt32BE(flaw.counter ?? signed)
      const flags = Buffer.from([flaw.unverified ? 0x01 : 0x05])
      const authenticatorData = Buffer.concat([hashSha256(flaw.rpId ?? options.rpId ?? ''), flags, count])
      const message = Buffer.concat([authenticatorData, hashSha256(clientDataJSON)])
      const signature = flaw.signature ?? createSign('sha256').update(message).sign(privateKey)
      return {
        id: rawId,
        rawId,
        type: 'public-key',
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: null,
        },
      }
    },
  }
}
