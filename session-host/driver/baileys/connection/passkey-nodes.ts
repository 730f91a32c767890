// The nodes of a linking by passkey: what an authenticator has to sign, and what it has signed.

import { type PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import { type BinaryNode, getBinaryNodeChildBuffer } from 'baileys'

/** More than the options of any authenticator. */
const OPTIONS_BYTES = 16_384

/** Undefined when the node has no options, or none that an authenticator could take. */
export function readOptions(node: BinaryNode): PasskeyOptions | undefined {
  const bytes = getBinaryNodeChildBuffer(node, 'passkey_request_options')
  if (!bytes || bytes.length > OPTIONS_BYTES) return undefined
  return PasskeyOptions.safeParse(parseJson(bytes)).data
}

/** The challenge that this assertion answers. */
export function readChallenge({ response }: PasskeyAssertion): string | undefined {
  const client = parseJson(Buffer.from(response.clientDataJSON, 'base64url'))
  if (typeof client !== 'object' || client === null || !('challenge' in client)) return undefined
  return typeof client.challenge === 'string' ? client.challenge : undefined
}

export function buildAssertionNode(
  { id, rawId, type, response }: PasskeyAssertion,
  prologue: Uint8Array,
  proof: Uint8Array | undefined,
): BinaryNode {
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  const signed = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
  const buildLeaf = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content })
  return {
    tag: 'passkey_prologue',
    attrs: {},
    content: [
      buildLeaf('credential_id', Buffer.from(rawId, 'base64url')),
      buildLeaf('webauthn_assertion', Buffer.from(JSON.stringify(signed))),
      buildLeaf('prologue_payload', prologue),
      ...(proof ? [buildLeaf('pairing_handoff_proof', proof)] : []),
    ],
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}
