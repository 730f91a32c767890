// Requests of a candidate whose account needs a passkey: the assertion, the nonce, and the request to be linked.
import { buildStanza, readBytes } from '../codec/stanza.ts'
import { SERVER } from '../network/address.ts'
import { type Candidate, type Connection, getDeviceId } from '../network/connections.ts'
import type { PasskeyPairing, PasskeyStage } from '../network/passkey-pairings.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import { buildPasskeyOptions } from '../pairing/accept-candidate.ts'
import { linkCompanion } from '../pairing/link-companion.ts'
import { PairingRefused } from '../pairing/pairing-refused.ts'
import {
  computeConfirmationCode,
  createSecrets,
  deriveRequestKey,
  encodeSecrets,
  matchesCommitment,
  openRequest,
  provesHandoff,
  readHello,
} from '../passkeys/agreement.ts'
import { Assertion, verifyAssertion } from '../passkeys/assertion.ts'
import type { Request, RequestTable } from './request.ts'

// Which codes the real network sends is not known. Here: 404 for a request that does not fit the stage, 401 for a passkey
// that is not accepted, 400 for a request that is malformed.

export const passkeyRequests: RequestTable = {
  'md get ref'({ network, connection }) {
    if (connection.owner.kind !== 'candidate') throw new Refusal(400)
    const [reference = ''] = network.references.createReferences(connection, 1)
    return [buildStanza('ref', {}, Buffer.from(reference))]
  },

  'md get passkey_request_options'({ network, connection }) {
    const { pairing } = requireStage(network, connection, 'assertion')
    return [buildPasskeyOptions(network, pairing)]
  },

  'md set passkey_prologue': handleAssertion,

  'md set companion_nonce'({ network, connection, iq }) {
    const { pairing, stage } = requireStage(network, connection, 'nonce')
    const nonce = readBytes(iq, 'companion_nonce')
    if (nonce === undefined || !matchesCommitment(stage.hello, nonce)) return endPairing(pairing, network)
    const code = computeConfirmationCode(stage.phone, nonce)
    pairing.stage = {
      name: 'request',
      code,
      key: deriveRequestKey(stage.phone, stage.hello),
      proven: stage.proven,
    }
    return []
  },

  'md set encrypted_pairing_request'({ network, connection, iq }) {
    const { pairing, stage, candidate } = requireStage(network, connection, 'request')
    const request = readBytes(iq, 'encrypted_pairing_request')
    const secret = request && openRequest(stage.key, request, candidate)
    if (secret === undefined) return endPairing(pairing, network)
    pairing.stage = { name: 'confirmation', code: stage.code, secret }
    const compare = network.store.passkeys.findDemand(pairing.account.number)?.confirmation
    if (stage.proven && !compare) setImmediate(() => linkWithoutOwner(network, pairing, secret))
    return []
  },
}

function handleAssertion({ network, connection, child: prologue }: Request) {
  const { pairing, stage } = requireStage(network, connection, 'assertion')
  const payload = readBytes(prologue, 'prologue_payload')
  const hello = payload && readHello(payload)
  const assertion = readAssertion(readBytes(prologue, 'webauthn_assertion'))
  const credentialId = readBytes(prologue, 'credential_id')
  if (!hello || !assertion || !credentialId?.equals(assertion.rawId)) throw new Refusal(400)
  if (network.references.findHolder(hello.reference) !== connection) throw new Refusal(400)
  const refused = checkAssertion(network, pairing, stage.challenge, assertion)
  pairing.stage = { name: 'assertion', challenge: undefined }
  network.log.addEntry(getDeviceId(connection), { what: 'passkey', refused })
  if (refused !== '') throw new Refusal(401)
  const proof = readBytes(prologue, 'pairing_handoff_proof')
  if (proof && !provesHandoff(pairing.secret, payload, proof)) return endPairing(pairing, network)
  const phone = createSecrets()
  pairing.stage = { name: 'nonce', hello, phone, proven: proof !== undefined }
  const attrs = { from: SERVER, type: 'crsc_continuation', id: createId(), t: formatSeconds() }
  const identity = buildStanza('primary_ephemeral_identity', {}, encodeSecrets(phone))
  setImmediate(() => connection.socket.send(buildStanza('notification', attrs, [identity])))
  return []
}

/** The reason why it is not accepted, or an empty text. */
function checkAssertion(
  { store }: Network,
  { account }: PasskeyPairing,
  challenge: Buffer | undefined,
  assertion: Assertion,
): string {
  const demand = store.passkeys.findDemand(account.number)
  if (challenge === undefined || demand === undefined) return 'the challenge is used up'
  const credential = store.passkeys.findCredential(assertion.rawId)
  if (credential?.number !== account.number) return 'no credential of this account'
  const verdict = verifyAssertion(assertion, { challenge, rpId: demand.rpId, credential })
  if ('refused' in verdict) return verdict.refused
  store.passkeys.setCounter(credential.id, verdict.counter)
  return ''
}

function readAssertion(bytes: Buffer | undefined): Assertion | undefined {
  try {
    return Assertion.safeParse(JSON.parse(bytes?.toString('utf8') ?? '')).data
  } catch {
    return undefined
  }
}

function requireStage<Name extends PasskeyStage['name']>(
  network: Network,
  connection: Connection,
  name: Name,
) {
  const pairing = network.passkeys.findPairing(connection)
  const { owner } = connection
  if (pairing?.stage.name !== name || owner.kind !== 'candidate') throw new Refusal(404)
  const candidate: Candidate = owner.candidate
  return { pairing, candidate, stage: pairing.stage as Extract<PasskeyStage, { name: Name }> }
}

/** A device that breaks the agreement gets no second try. */
function endPairing({ connection }: PasskeyPairing, network: Network): never {
  network.passkeys.remove(connection)
  throw new Refusal(400)
}

async function linkWithoutOwner(network: Network, { connection, account }: PasskeyPairing, secret: Buffer) {
  try {
    await linkCompanion(network, connection, account, secret)
  } catch (error) {
    if (!(error instanceof PairingRefused)) throw error
    // The device went away, or did not sign: its socket is closed, and with it the pairing is over.
    console.error(error.message)
  }
}
